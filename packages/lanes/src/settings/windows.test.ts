import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { checkWindows, openIntervals, type Window } from './windows.js';

function at(iso: string, zone: string): number {
  const time = DateTime.fromISO(iso, { zone });
  expect(time.isValid).toBe(true);
  return time.toMillis();
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

/** Local times, with their offsets, of the first intervals. */
function local(windows: Window[], from: string, count: number): string[] {
  const zone = windows[0]!.zone;
  const show = (ms: number): string => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd HH:mm ZZ');
  return openIntervals(windows, at(from, zone))
    .slice(0, count)
    .map(([open, close]) => `${show(open)} to ${show(close)}`);
}

describe('windows', () => {
  it('A18: New York 19:00 to 23:00 goes by the wall clock in winter, summer and on both change days', () => {
    const window = [{ zone: 'America/New_York', days: EVERY_DAY, from: '19:00', to: '23:00' }];
    expect(local(window, '2026-01-14T12:00', 1)).toEqual([
      '2026-01-14 19:00 -05:00 to 2026-01-14 23:00 -05:00',
    ]);
    expect(local(window, '2026-07-14T12:00', 1)).toEqual([
      '2026-07-14 19:00 -04:00 to 2026-07-14 23:00 -04:00',
    ]);
    expect(local(window, '2026-03-07T12:00', 2)).toEqual([
      '2026-03-07 19:00 -05:00 to 2026-03-07 23:00 -05:00',
      '2026-03-08 19:00 -04:00 to 2026-03-08 23:00 -04:00',
    ]);
    expect(local(window, '2026-10-31T12:00', 2)).toEqual([
      '2026-10-31 19:00 -04:00 to 2026-10-31 23:00 -04:00',
      '2026-11-01 19:00 -05:00 to 2026-11-01 23:00 -05:00',
    ]);
  });

  it('crosses midnight, and a window begun yesterday is open', () => {
    const window = [{ zone: 'Europe/Berlin', days: [5], from: '22:00', to: '02:00' }];
    expect(local(window, '2026-01-17T00:30', 2)).toEqual([
      '2026-01-16 22:00 +01:00 to 2026-01-17 02:00 +01:00',
      '2026-01-23 22:00 +01:00 to 2026-01-24 02:00 +01:00',
    ]);
  });

  it('A20: an edge in the skipped hour is the instant of the change', () => {
    expect(
      local([{ zone: 'America/New_York', days: [7], from: '02:30', to: '05:00' }], '2026-03-08T00:00', 1),
    ).toEqual(['2026-03-08 03:00 -04:00 to 2026-03-08 05:00 -04:00']);
    expect(
      local([{ zone: 'America/New_York', days: [7], from: '01:00', to: '02:30' }], '2026-03-08T00:00', 1),
    ).toEqual(['2026-03-08 01:00 -05:00 to 2026-03-08 03:00 -04:00']);
  });

  it('A20: an hour that happens twice is covered whole, once', () => {
    expect(
      local([{ zone: 'America/New_York', days: [7], from: '01:30', to: '03:00' }], '2026-11-01T00:00', 1),
    ).toEqual(['2026-11-01 01:30 -04:00 to 2026-11-01 03:00 -05:00']);
    expect(
      local([{ zone: 'America/New_York', days: [7], from: '00:30', to: '01:30' }], '2026-11-01T00:00', 1),
    ).toEqual(['2026-11-01 00:30 -04:00 to 2026-11-01 01:30 -05:00']);
  });

  it('merges windows that overlap or touch', () => {
    const intervals = openIntervals(
      [
        { zone: 'UTC', days: EVERY_DAY, from: '00:00', to: '12:00' },
        { zone: 'UTC', days: EVERY_DAY, from: '12:00', to: '24:00' },
      ],
      Date.UTC(2026, 0, 14),
    );
    expect(intervals).toHaveLength(1);
  });

  it.each([
    ['a time that does not exist', { from: '25:99' }],
    ['an empty time', { from: '' }],
    ['a start that is the end', { from: '10:00', to: '10:00' }],
    ['an unknown zone', { zone: 'Mars/Olympus' }],
    ['no days', { days: [] }],
    ['a day that does not exist', { days: [8] }],
  ])('A19: refuses %s', (_what, broken) => {
    const window = { zone: 'UTC', days: [1], from: '09:00', to: '17:00', ...broken };
    expect(() => checkWindows([window])).toThrow(expect.objectContaining({ code: 'invalid_windows' }));
  });

  it('A19: refuses an empty calendar', () => {
    expect(() => checkWindows([])).toThrow(expect.objectContaining({ code: 'invalid_windows' }));
  });
});
