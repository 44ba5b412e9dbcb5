const SECONDS = /^\d+(?:\.\d+)?$/;
/** The three forms of RFC 9110, 5.6.7: all begin with the name of a day. `Date.parse` alone takes far too much. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/;
/** Splits at commas between values, not at the one inside a date. */
const SEPARATOR = /\s*,\s*(?=\d+(?:\.\d+)?(?:\s*,|\s*$)|[A-Z][a-z]+,? |[^ \d])/;

/**
 * Milliseconds that a Retry-After header asks to wait, or undefined when it names no moment ahead: rubbish, an
 * empty or negative value, zero, a past date. The caller then backs off by its own policy, which a wrong header
 * must not shorten (A08, A09). Two headers arrive joined by a comma: the longer wait counts.
 *
 * @param nowMs the time that dates are compared with, in milliseconds since the epoch.
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  const waits = value
    .trim()
    .split(SEPARATOR)
    .map((part) => parseOne(part, nowMs));
  const longest = Math.max(...waits);
  return Number.isFinite(longest) && longest > 0 ? Math.ceil(longest) : undefined;
}

function parseOne(part: string, nowMs: number): number {
  if (SECONDS.test(part)) return Number(part) * 1_000;
  return HTTP_DATE.test(part) ? Date.parse(part) - nowMs : Number.NaN;
}
