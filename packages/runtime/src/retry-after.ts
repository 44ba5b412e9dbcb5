/**
 * The header of an answer that asks to come again after so many milliseconds. It is told in whole seconds: never less
 * than what was meant, and never 0, which clients take for "at once".
 */
export function retryAfter(ms: number): { readonly 'retry-after': string } {
  const seconds = Math.ceil(ms / 1_000);
  return { 'retry-after': String(seconds >= 1 ? seconds : 1) };
}
