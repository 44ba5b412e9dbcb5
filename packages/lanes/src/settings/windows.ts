import { DateTime, IANAZone } from 'luxon';
import { LaneError } from '../errors.js';

/** When an account's jobs may start: local wall-clock time on some weekdays. */
export interface Window {
  /** IANA time zone, such as `America/New_York`. */
  zone: string;
  /** ISO weekdays on which the window opens: 1 Monday to 7 Sunday. */
  days: number[];
  /** Opening time, `HH:MM`. */
  from: string;
  /** Closing time, `HH:MM` (`24:00` is the end of the day); one before `from` is on the next day. */
  to: string;
}

/** An open interval, in ms since the epoch: from `open`, before `close`. */
export type OpenInterval = readonly [open: number, close: number];

/** How far ahead windows are computed; beyond it an account with windows is closed. */
export const HORIZON_DAYS = 30;

const MAX_WINDOWS = 32;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

function invalid(reason: string): never {
  throw new LaneError('invalid_windows', reason);
}

function minuteOfDay(value: unknown, name: string): number {
  if (name === 'to' && value === '24:00') {
    return 24 * 60;
  }
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  if (!match) {
    invalid(`\`${name}\` must be a time of day from 00:00 to 23:59; got ${JSON.stringify(value)}.`);
  }
  return Number(match[1]) * 60 + Number(match[2]);
}

interface CheckedWindow {
  zone: string;
  days: ReadonlySet<number>;
  fromMinute: number;
  toMinute: number;
}

function check(window: Window): CheckedWindow {
  if (typeof window !== 'object' || window === null) {
    invalid('A window must be an object { zone, days, from, to }.');
  }
  const { zone, days } = window;
  if (typeof zone !== 'string' || !IANAZone.isValidZone(zone)) {
    invalid(`\`zone\` must be an IANA time zone; got ${JSON.stringify(zone)}.`);
  }
  if (
    !Array.isArray(days) ||
    days.length === 0 ||
    days.some((day) => !Number.isInteger(day) || day < 1 || day > 7)
  ) {
    invalid(`\`days\` must be weekdays from 1 to 7, at least one; got ${JSON.stringify(days)}.`);
  }
  const fromMinute = minuteOfDay(window.from, 'from');
  const toMinute = minuteOfDay(window.to, 'to');
  if (fromMinute === toMinute) {
    invalid(`A window that opens and closes at ${window.from} is never open.`);
  }
  return { zone, days: new Set(days), fromMinute, toMinute };
}

/**
 * @throws LaneError `invalid_windows`: a bad time, day or zone, an empty calendar, or one that
 * never opens
 */
export function checkWindows(windows: readonly Window[]): void {
  if (!Array.isArray(windows) || windows.length === 0) {
    invalid('A calendar needs at least one window; null removes it.');
  }
  if (windows.length > MAX_WINDOWS) {
    invalid(`A calendar has at most ${MAX_WINDOWS} windows; got ${windows.length}.`);
  }
  windows.forEach(check);
}

/**
 * The instant of a wall-clock time.
 *
 * A time that a change to summer time skips becomes the instant of the change, so a window edge
 * there is met when the clock jumps over it. A time that happens twice in autumn is the first of
 * the two for an opening and the second for a closing: the window covers both.
 */
export function instantOf(date: DateTime, minute: number, edge: 'open' | 'close'): number {
  const dayStart = date.startOf('day');
  const day = minute === 24 * 60 ? dayStart.plus({ days: 1 }) : dayStart;
  const wanted = { hour: Math.floor((minute % 1440) / 60), minute: minute % 60 };
  const local = day.set(wanted);
  if (local.hour !== wanted.hour || local.minute !== wanted.minute) {
    return transitionBefore(local);
  }
  const hours = [local.minus({ hours: 1 }), local, local.plus({ hours: 1 })].filter(
    (each) => each.hour === wanted.hour && each.minute === wanted.minute && each.day === local.day,
  );
  return (edge === 'open' ? hours[0]! : hours.at(-1)!).toMillis();
}

/** The instant at which the offset that holds at `after` began, within the day before. */
function transitionBefore(after: DateTime): number {
  let low = after.minus({ hours: 24 }).toMillis();
  let high = after.toMillis();
  const offset = after.offset;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (after.plus({ milliseconds: middle - after.toMillis() }).offset === offset) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

/**
 * The open intervals of a calendar from `nowMs` to the horizon, in order, overlapping ones merged.
 *
 * @throws LaneError `invalid_windows` also when nothing opens before the horizon
 */
export function openIntervals(
  windows: readonly Window[],
  nowMs: number,
  days = HORIZON_DAYS,
): OpenInterval[] {
  checkWindows(windows);
  const all: [number, number][] = [];
  for (const window of windows.map(check)) {
    const today = DateTime.fromMillis(nowMs, { zone: window.zone }).startOf('day');
    // From yesterday, whose window may reach past midnight.
    for (let day = -1; day <= days; day += 1) {
      const date = today.plus({ days: day });
      if (!window.days.has(date.weekday)) {
        continue;
      }
      const crosses = window.toMinute < window.fromMinute;
      const open = instantOf(date, window.fromMinute, 'open');
      const close = instantOf(crosses ? date.plus({ days: 1 }) : date, window.toMinute, 'close');
      if (close > open && close > nowMs) {
        all.push([open, close]);
      }
    }
  }
  all.sort((one, other) => one[0] - other[0]);
  const merged: [number, number][] = [];
  for (const [open, close] of all) {
    const last = merged.at(-1);
    if (last && open <= last[1]) {
      last[1] = Math.max(last[1], close);
    } else {
      merged.push([open, close]);
    }
  }
  if (merged.length === 0) {
    invalid(`The calendar does not open within ${days} days.`);
  }
  return merged;
}
