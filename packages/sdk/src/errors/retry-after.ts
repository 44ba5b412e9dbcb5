/** A longer header is no date and no number of seconds. */
const MAX_HEADER_CHARS = 200;
const SECONDS = /^\d+(?:\.\d+)?$/;
/** The forms of RFC 9110, 5.6.7. `Date.parse` alone takes far too much, `1.5` and `-1` among it. */
const FIXDATE = /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;
/** Commas between values, not the one after the day of a date. */
const SEPARATOR = /,(?!\s*\d{2}[ -][A-Z])/;

/**
 * Milliseconds that a Retry-After header asks to wait, or undefined when it names no moment ahead: rubbish, an
 * empty or negative value, zero, a past date. The caller then backs off by its own policy, which a wrong header
 * must not shorten (A08, A09). Two headers arrive joined by a comma: the longer wait counts.
 *
 * @param nowMs the time that a date is compared with where the answer does not tell its own, in milliseconds since the
 *   epoch.
 * @param date the answer's Date header: who names a moment by a clock tells that clock's time too, and ours may differ
 *   from it.
 * @example
 * parseRetryAfter('120', Date.now()) // 120_000
 */
export function parseRetryAfter(
  value: string | null | undefined,
  nowMs: number,
  date?: string | null,
): number | undefined {
  if (value === null || value === undefined || value.length > MAX_HEADER_CHARS) return undefined;
  const answeredAtMs = answeredAt(dateMs(date?.trim() ?? ''), nowMs);
  const waits = value.split(SEPARATOR).map((part) => waitMs(part.trim(), answeredAtMs));
  // One unreadable part makes the longest NaN: half a header is no reason to come back early.
  const longest = Math.max(...waits);
  return Number.isFinite(longest) && longest > 0 ? Math.ceil(longest) : undefined;
}

/** A Date header has whole seconds: where our clock reads the same second, it tells how much of it has passed. */
function answeredAt(datedMs: number | undefined, nowMs: number): number {
  if (datedMs === undefined) return nowMs;
  return nowMs >= datedMs && nowMs < datedMs + 1_000 ? nowMs : datedMs;
}

function waitMs(part: string, nowMs: number): number {
  if (SECONDS.test(part)) return Number(part) * 1_000;
  return (dateMs(part) ?? Number.NaN) - nowMs;
}

/** Undefined for what is no HTTP date. */
function dateMs(text: string): number | undefined {
  // Without a zone in the text, Date.parse would read local time.
  const zoned = ASCTIME.test(text) ? `${text} GMT` : text;
  const ms = FIXDATE.test(text) || zoned !== text ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
