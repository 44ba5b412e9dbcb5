/**
 * Bull Board's page as our content policy allows it. Its template asks for web fonts of another origin and
 * carries inline styles; the policy would block both, with an error in the console for each load.
 */
export function secureEntryPage(
  html: string,
  { nonce, stylesheet }: { nonce: string; stylesheet: string },
): string {
  return html
    .replaceAll(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
    .replaceAll(/\sstyle="[^"]*"/g, '')
    .replaceAll('<style>', `<style nonce="${nonce}">`)
    .replace('</head>', `<link href="${stylesheet}" rel="stylesheet"></head>`);
}
