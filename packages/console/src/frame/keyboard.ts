import { go, hrefOf, type PageName } from './paths.js';

export const shortcuts = [
  ['/', 'go to the search or first filter'],
  ['?', 'this help'],
  ['g then o', 'overview'],
  ['g then a', 'accounts'],
  ['g then j', 'jobs'],
  ['g then d', 'dead letters'],
  ['g then w', 'workers'],
  ['j, k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['Space', 'select the row, on its checkbox'],
  ['Esc', 'close a dialog, leave a field'],
] as const;

const pageKeys: Record<string, PageName> = {
  o: 'overview',
  a: 'accounts',
  j: 'jobs',
  d: 'dead-letters',
  w: 'workers',
};
const sequenceMs = 1_500;

/** Keys that move and look; nothing that changes anything is on a key. */
export function listenToKeys(showHelp: () => void): () => void {
  let pressedG = 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const isField = target.matches('input:not([type=checkbox]), select, textarea, [contenteditable]');
    if (isField) {
      // In a dialog it is left to the browser, which closes that.
      if (event.key === 'Escape' && !target.closest('dialog')) {
        // A search field would be emptied, and with it the list be another.
        event.preventDefault();
        target.blur();
      }
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    const page = Date.now() - pressedG < sequenceMs ? pageKeys[event.key] : undefined;
    pressedG = event.key === 'g' ? Date.now() : 0;
    if (page !== undefined) go(hrefOf(page));
    else if (event.key === '/') focus('[data-search]');
    else if (event.key === '?') showHelp();
    else if (event.key === 'j') moveRow(1);
    else if (event.key === 'k') moveRow(-1);
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** A row is where its link is, so Enter opens it without more. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const row = document.activeElement?.closest('tr');
  const current = links.findIndex((link) => row?.contains(link) === true);
  const next = current === -1 ? (step === 1 ? 0 : links.length - 1) : current + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}
