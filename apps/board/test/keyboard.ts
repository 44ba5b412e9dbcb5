import type { Page } from 'playwright-core';

/** Goes on by Tab, or back, until what bears the name has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, name: string, { back = false } = {}): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const focused = await focusedName(page);
    if (focused.startsWith(name)) return;
    passed.push(focused);
  }
  throw new Error(`${name} cannot be reached by Tab: ${passed.join(', ')}`);
}

/** What a screen reader would call what has the focus: its label, or its own words. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const { ariaLabel, labels, textContent } = document.activeElement;
    return (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim().slice(0, 60);
  })()`);
}
