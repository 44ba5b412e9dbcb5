import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Step, Transition } from './history.js';
import { checkEnds, checkInFlight, checkRate, mostInFlight } from './rules.js';

const at = (atMs: number, step: Step, jobId: string): Transition => ({ atMs, step, jobId });
const admissions = (...times: number[]) => times.map((time, nth) => at(time, 'admitted', `j${nth}`));
const gate = 'a/email';
const twoInFlight = () => ({ gate, maxInFlight: 2 });

describe('R1 over a history', () => {
  it('holds where each job ends once, lost and returned as it may be before', () => {
    const history = [
      at(0, 'admitted', 'x'),
      at(1, 'returned', 'x'),
      at(1, 'lost', 'x'),
      at(2, 'admitted', 'x'),
      at(3, 'ended', 'x'),
    ];
    expect(checkEnds(history, ['x'])).toEqual([]);
  });

  it('breaks with a job that never ends, ends twice or goes on', () => {
    const history = [
      at(0, 'ended', 'twice'),
      at(1, 'ended', 'twice'),
      at(2, 'ended', 'on'),
      at(3, 'admitted', 'on'),
    ];
    expect(checkEnds(history, ['never', 'twice', 'on'])).toEqual([
      'R1: twice was ended at 1, after its end',
      'R1: on was admitted at 3, after its end',
      'R1: never never ended',
    ]);
  });
});

describe('R3 over a history', () => {
  const rate = { limit: 2, perMs: 2_000, burst: 3 };
  const limitsOf = () => ({ gate, rate });

  /** As the rule says it: every interval counted. */
  function breaks(times: readonly number[]): boolean {
    return times.some((from, first) =>
      times
        .slice(first)
        .some((to, count) => count + 1 > rate.burst + (rate.limit / rate.perMs) * (to - from)),
    );
  }

  it('takes a burst and then the rate, and nothing on top', () => {
    expect(checkRate(admissions(0, 0, 0, 1_000, 2_000), limitsOf)).toEqual([]);
    expect(checkRate(admissions(0, 0, 0, 800), limitsOf)).toEqual([
      'R3: a/email admitted j3 at 800, 200.0 ms too early',
    ]);
  });

  it('lets an idle gate gather no more than its burst', () => {
    expect(checkRate(admissions(0, 60_000, 60_000, 60_000, 60_000), limitsOf)).toHaveLength(1);
  });

  it('says the same as counting every interval', () => {
    // Multiples of 200 ms: nothing is decided within what an event may be late.
    const gaps = fc.array(
      fc.nat(9).map((steps) => steps * 200),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(gaps, (steps) => {
        let now = 0;
        const times = steps.map((step) => (now += step));
        expect(checkRate(admissions(...times), limitsOf).length > 0).toBe(breaks(times));
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  it('leaves jobs without a limit alone', () => {
    expect(checkRate(admissions(0, 0, 0, 0, 0, 0), () => ({ gate }))).toEqual([]);
  });
});

describe('R4 over a history', () => {
  const leaseMs = 5_000;
  const two = [at(0, 'admitted', 'x'), at(0, 'admitted', 'y')];

  it('counts a job until it leaves its worker', () => {
    const third = at(9_000, 'admitted', 'z');
    expect(checkInFlight([...two, at(8_000, 'returned', 'x'), third], twoInFlight, leaseMs)).toEqual([]);
    expect(checkInFlight([...two, third], twoInFlight, leaseMs)).toEqual([
      'R4: 3 in flight of a/email with z at 9000, allowed 2',
    ]);
    expect(mostInFlight(two, twoInFlight)).toBe(2);
  });

  it('counts a job of a lost worker for one lease', () => {
    const lost = [at(9_500, 'returned', 'x'), at(9_500, 'lost', 'x')];
    const withThirdAt = (atMs: number) => [...two, at(atMs, 'admitted', 'z'), ...lost];
    expect(checkInFlight(withThirdAt(4_999), twoInFlight, leaseMs)).toHaveLength(1);
    expect(checkInFlight(withThirdAt(5_000), twoInFlight, leaseMs)).toEqual([]);
  });

  it('counts a job that is handed out twice once', () => {
    expect(checkInFlight([...two, at(1, 'admitted', 'y')], twoInFlight, leaseMs)).toEqual([]);
  });
});
