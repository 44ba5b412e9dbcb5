import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyError } from './classify-error.js';
import { httpError } from './http-error.js';
import { parseRetryAfter } from './retry-after.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

describe('Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['a fraction of a second', '1.5', 1_500],
    ['white space around', ' 2 ', 2_000],
    ['an HTTP date', 'Sun, 06 Nov 1994 08:49:40 GMT', 3_000],
    ['an RFC 850 date', 'Sunday, 06-Nov-94 08:49:40 GMT', 3_000],
    ['an asctime date', 'Sun Nov  6 08:49:40 1994', 3_000],
    ['two headers, the longer counts', '1, 2', 2_000],
    ['two headers, the longer first', '7, 2', 7_000],
    ['a number and a date', '1, Sun, 06 Nov 1994 08:49:40 GMT', 3_000],
    ['two dates', 'Sun, 06 Nov 1994 08:49:40 GMT, Sun, 06 Nov 1994 08:49:42 GMT', 5_000],
  ])('A08 honours %s', (_what, header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it.each([
    ['a word', 'soon'],
    ['an empty value', ''],
    ['white space', '  '],
    ['half a list', '1, soon'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['more than a number holds', '9'.repeat(400)],
    ['an ISO date', '1994-11-06T08:49:40Z'],
    ['a date that is none', 'Sun, 99 Nov 1994 08:49:40 GMT'],
    ['an endless header', '1'.repeat(100_000)],
    ['null', null],
    ['nothing', undefined],
  ])('A08 names no moment for %s', (_what, header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });

  it.each([
    ['-1', '-1'],
    ['-1e15', '-1e15'],
    ['zero', '0'],
    ['a past date', 'Sun, 06 Nov 1994 08:49:36 GMT'],
    ['this very moment', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ])('A09 names no moment for %s, so that the backoff holds', (_what, header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });

  it('A08 is undefined or a finite number above 0 for any text', () => {
    const pieces = fc.constantFrom(
      '1',
      '-',
      '.',
      ',',
      ' ',
      'Sun',
      'Nov',
      'GMT',
      '06',
      '08:49:40',
      '1994',
      'e',
      'soon',
    );
    const headers = fc.oneof(
      fc.string(),
      fc.array(pieces).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(headers, fc.integer({ min: 0, max: 4e12 }), (header, now) => {
        const parsed = parseRetryAfter(header, now);
        expect(parsed === undefined || (Number.isFinite(parsed) && parsed > 0)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['an hour ahead of ours', 'Sun, 06 Nov 1994 09:49:37 GMT', 'Sun, 06 Nov 1994 09:49:40 GMT'],
    ['an hour behind ours', 'Sun, 06 Nov 1994 07:49:37 GMT', 'Sun, 06 Nov 1994 07:49:40 GMT'],
  ])('A08 goes by the clock that named the date: one %s', (_what, date, header) => {
    expect(parseRetryAfter(header, NOW, date)).toBe(3_000);
    const headers = new Headers({ 'retry-after': header, date });
    expect(httpError(new Response(null, { status: 429, headers })).retryAfterMs).toBe(3_000);
    const foreign = { status: 429, headers: { 'Retry-After': header, Date: date } };
    expect(classifyError(foreign, NOW).retryAfterMs).toBe(3_000);
  });

  it.each([
    ['takes off the part of a second that has passed by our clock', NOW + 600, 2_400],
    ['takes nothing off where our clock reads the next second', NOW + 1_000, 3_000],
    ['takes nothing off where our clock reads the second before', NOW - 1, 3_000],
  ])('A08 %s', (_what, now, waits) => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:40 GMT', now, date)).toBe(waits);
    const foreign = { status: 429, headers: { 'Retry-After': 'Sun, 06 Nov 1994 08:49:40 GMT', Date: date } };
    expect(classifyError(foreign, now).retryAfterMs).toBe(waits);
  });

  it.each([undefined, null, '', 'soon'])('A08 goes by our clock where the answer is dated %s', (date) => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:40 GMT', NOW, date)).toBe(3_000);
  });

  it('does not read an asctime date in local time', () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      expect(parseRetryAfter('Sun Nov  6 08:49:40 1994', NOW)).toBe(3_000);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });
});
