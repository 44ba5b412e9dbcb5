import { checkLimits, type Limits } from '@fairlane/lanes';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presentLimits, type LimitsView } from './present-limits.js';
import { limitsBody } from './schemas.js';

/** What a gate keeps of limits, and what is then shown of them. */
function shown(limits: Limits) {
  const { intervalMs = null, depthMs, maxInFlight = null } = checkLimits(limits);
  const burst = intervalMs !== null && depthMs !== undefined ? depthMs / intervalMs : null;
  return presentLimits({ intervalMs, burst, maxInFlight });
}

function rateOf({ limit, perMs }: LimitsView): number {
  return (limit ?? 0) / (perMs ?? 1);
}

function anyNumber(min: number, max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.integer({ min: Math.ceil(min), max }));
}

describe('presentLimits', () => {
  it.each<Limits>([
    { limit: 60, perMs: 60_000 },
    { limit: 1, perMs: 1_000 },
    { limit: 7, perMs: 3_600_000, maxInFlight: 2 },
    { limit: 10, perMs: 1_000, burst: 5 },
    { limit: 1_000, perMs: 86_400_000, burst: 3 },
    { limit: 3, perMs: 1_000 },
    { maxInFlight: 4 },
  ])('shows %j as it was set', (limits) => {
    const { limit = null, perMs = null, burst = limit, maxInFlight = null } = limits;
    expect(shown(limits)).toEqual({ limit, perMs, burst, maxInFlight });
  });

  it('shows what can be set again and then limits the same, for every limit that may be set', () => {
    const settable = fc
      .record({
        limit: anyNumber(1e-9, 1e9),
        perMs: anyNumber(1e-6, 366 * 86_400_000),
        burst: fc.option(anyNumber(1, 1_000), { nil: undefined }),
      })
      .map((limits) => limitsBody.safeParse(limits).data)
      .filter((limits) => limits !== undefined);
    fc.assert(
      fc.property(settable, (limits) => {
        const first = shown(limits as Limits);
        const { maxInFlight: _none, ...again } = first;
        expect(limitsBody.safeParse(again).error).toBeUndefined();
        const second = shown(again as Limits);
        expect(rateOf(second) / rateOf(first)).toBeCloseTo(1, 8);
        expect((second.burst ?? 0) / (first.burst ?? 1)).toBeCloseTo(1, 8);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never changes the rate or the burst', () => {
    const positive = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(positive, positive, fc.option(fc.integer({ min: 1, max: 1000 })), (limit, perMs, burst) => {
        const view = shown({ limit, perMs, ...(burst === null ? {} : { burst }) });
        expect(rateOf(view) / (limit / perMs)).toBeCloseTo(1, 8);
        expect(view.burst).toBe(burst ?? limit);
      }),
    );
  });
});
