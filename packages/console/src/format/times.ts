const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its two largest units: `850 ms`, `12 s`, `6 min 5 s`, `2 h 10 min`, `3 d 4 h`. Never negative. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '-';
  if (ms <= 0) return '0 s';
  if (ms < SECOND) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', MINUTE, 'min');
  return twoUnits(ms, DAY, 'd', HOUR, 'h');
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const first = Math.floor(ms / large);
  const second = Math.floor((ms % large) / small);
  return second === 0 ? `${first} ${largeName}` : `${first} ${largeName} ${second} ${smallName}`;
}

/** `3 min ago`, `in 12 s`, `now`; one unit, since it stands in lists. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < SECOND) return 'now';
  const [size, name] =
    distance < MINUTE
      ? [SECOND, 's']
      : distance < HOUR
        ? [MINUTE, 'min']
        : distance < DAY
          ? [HOUR, 'h']
          : [DAY, 'd'];
  const text = `${Math.floor(distance / size)} ${name}`;
  return at < now ? `${text} ago` : `in ${text}`;
}

/** The same of what is still to come; what is due already is `now`, since nobody waits a negative time. */
export function formatUpcoming(at: number, now: number): string {
  return formatRelative(Math.max(at, now), now);
}

/** `14:03:11` */
export function formatClock(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(at);
}

/** `30 Nov 2026, 14:03:11 CET`, in the zone of the reader unless another is given. */
export function formatAbsolute(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(at);
}

/** `a minute`, `10 s`: what a limit counts in. */
export function formatPeriod(ms: number): string {
  const natural = { [SECOND]: 'a second', [MINUTE]: 'a minute', [HOUR]: 'an hour', [DAY]: 'a day' }[ms];
  return natural ?? `in ${formatDuration(ms)}`;
}
