import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { RateLimit } from './protocol.js';
import { RateJudge } from './rate-judge.js';

const limits = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  perMs: fc.integer({ min: 100, max: 5_000 }),
  burst: fc.integer({ min: 1, max: 10 }),
});

/** Arrival times: gaps short and long against the rates above, many of them 0. */
const arrivals = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 3_000 })), {
    maxLength: 60,
  })
  .map((gaps) => {
    let at = 0;
    return gaps.map((gap) => (at += gap));
  });

/** The definition, looked up in every interval that starts and ends at an arrival. */
function excess(times: readonly number[], limit: RateLimit): number {
  let worst = 0;
  for (const [from, start] of times.entries()) {
    for (const [to, end] of times.entries()) {
      if (to < from) continue;
      const bound = limit.burst + (limit.limit / limit.perMs) * (end - start + 500);
      worst = Math.max(worst, to - from + 1 - bound);
    }
  }
  return worst;
}

/** The same for intervals that start before a change and end after it. */
function excessAcross(
  first: readonly number[],
  second: readonly number[],
  change: number,
  before: RateLimit,
  after: RateLimit,
): number {
  const old = before.limit / before.perMs;
  const larger = Math.max(old, after.limit / after.perMs);
  const capacity = Math.max(before.burst + old * 500, after.burst + (after.limit / after.perMs) * 500);
  let worst = 0;
  for (const [from, start] of first.entries()) {
    for (const [to, end] of second.entries()) {
      const bound = capacity + old * (change - start) + larger * (end - change);
      worst = Math.max(worst, first.length - from + to + 1 - bound);
    }
  }
  return worst;
}

function judge(times: readonly number[], limit: RateLimit) {
  const rateJudge = new RateJudge(limit);
  const kept = times.filter((at) => rateJudge.observe(at));
  return { violations: rateJudge.violations, kept };
}

/** Above the tolerance of the judge, below any real excess that these integers can make. */
const CLEARLY = 1e-6;

describe('R3 judged on arrival', () => {
  it('finds a violation exactly when some interval breaks the bound', () => {
    fc.assert(
      fc.property(limits, arrivals, (limit, times) => {
        const worst = excess(times, limit);
        expect(judge(times, limit).violations > 0).toBe(worst > CLEARLY);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('counts what would have to be missing for the bound to hold, and never less than the worst interval', () => {
    fc.assert(
      fc.property(limits, arrivals, (limit, times) => {
        const { violations, kept } = judge(times, limit);
        expect(excess(kept, limit)).toBeLessThanOrEqual(CLEARLY);
        expect(violations).toBeGreaterThanOrEqual(Math.floor(excess(times, limit) - CLEARLY));
        expect(violations + kept.length).toBe(times.length);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('finds no violation in a caller that takes every token the moment it is there', () => {
    fc.assert(
      fc.property(limits, (limit) => {
        const spacingMs = limit.perMs / limit.limit;
        const times = Array.from({ length: 100 }, (_, nth) => Math.max(0, nth + 1 - limit.burst) * spacingMs);
        expect(judge(times, limit).violations).toBe(0);
      }),
      { seed: 3 },
    );
  });

  it('bounds what follows a change by the new limit and intervals across it by the larger one', () => {
    fc.assert(
      fc.property(limits, limits, arrivals, arrivals, (before, after, first, gaps) => {
        const change = (first.at(-1) ?? 0) + 1;
        const second = gaps.map((gap) => change + gap);
        const rateJudge = new RateJudge(before);
        const kept = first.filter((at) => rateJudge.observe(at));
        rateJudge.setLimit(after, change);
        const earlier = rateJudge.violations;
        for (const at of second) rateJudge.observe(at);

        const isBroken =
          excess(second, after) > CLEARLY || excessAcross(kept, second, change, before, after) > CLEARLY;
        expect(rateJudge.violations > earlier).toBe(isBroken);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('does not forgive tokens spent before a limit was raised', () => {
    const rateJudge = new RateJudge({ limit: 1, perMs: 3_600_000, burst: 5 });
    for (let nth = 0; nth < 5; nth += 1) rateJudge.observe(0);
    rateJudge.setLimit({ limit: 1, perMs: 3_600_000, burst: 6 }, 1);
    expect(rateJudge.observe(1)).toBe(true);
    expect(rateJudge.observe(1)).toBe(false);
  });

  it('counts nothing while there is no limit', () => {
    const rateJudge = new RateJudge({ limit: 1, perMs: 1_000, burst: 1 });
    rateJudge.setLimit(null, 0);
    for (let nth = 0; nth < 100; nth += 1) rateJudge.observe(0);
    expect(rateJudge.violations).toBe(0);
  });

  it.each([
    [0, 2],
    [1_000, 1],
    [2_000, 0],
  ])('with a slack of %i ms takes three at once of a burst of one as %i too many', (slackMs, violations) => {
    const judge = new RateJudge({ limit: 1, perMs: 1_000, burst: 1 }, slackMs);
    for (let nth = 0; nth < 3; nth += 1) judge.observe(0);
    expect(judge.violations).toBe(violations);
  });
});
