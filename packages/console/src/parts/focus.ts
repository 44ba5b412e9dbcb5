/**
 * Where the keyboard goes on when what had the focus is switched off or gone: where it was, as far as that is still
 * there, else at the content and not at the top of the page.
 */
export function rescueFocus(from?: Element | null): void {
  // A control that is switched off loses the focus only when the page is drawn.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      if (from instanceof HTMLElement && from.isConnected && !from.matches(':disabled')) from.focus();
      else document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
    }),
  );
}
