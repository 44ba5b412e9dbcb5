const dayMs = 86_400_000;

/**
 * An absolute time as people of a zone say it: `14:03` today, `Monday 09:00` within the week, else
 * `3 December 09:00`; with seconds when it is less than two minutes away. The zone stands behind it.
 */
export function localTime(atMs: number, nowMs: number, zone: string): string {
  const day = dayPart(atMs, nowMs, zone);
  return `${day === '' ? '' : `${day} `}${clockTime(atMs, nowMs, zone)}`;
}

/** The same with its prepositions: `at 14:03 (Paris)`, `on Monday at 09:00 (Paris)`. */
export function whenLocally(atMs: number, nowMs: number, zone: string): string {
  const day = dayPart(atMs, nowMs, zone);
  return `${day === '' ? '' : `on ${day} `}at ${clockTime(atMs, nowMs, zone)}`;
}

function clockTime(atMs: number, nowMs: number, zone: string): string {
  const seconds = Math.abs(atMs - nowMs) < 120_000 ? ({ second: '2-digit' } as const) : {};
  const time = format(atMs, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...seconds });
  return `${time} (${zoneName(zone)})`;
}

function dayPart(atMs: number, nowMs: number, zone: string): string {
  const day = (ms: number) => format(ms, zone, { year: 'numeric', month: '2-digit', day: '2-digit' });
  if (day(atMs) === day(nowMs)) return '';
  // Six days: a seventh would have the name of today.
  if (Math.abs(atMs - nowMs) < 6 * dayMs) return format(atMs, zone, { weekday: 'long' });
  return format(atMs, zone, { day: 'numeric', month: 'long' });
}

function format(ms: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(ms);
}

/** `America/New_York` is New York to the people who live there. */
function zoneName(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
