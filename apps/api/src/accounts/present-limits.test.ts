import { checkLimits, type Limits } from '@fairlane/lanes';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presentLimits } from './present-limits.js';

/** What a gate keeps of limits, and what is then shown of them. */
function shown(limits: Limits) {
  const { intervalMs = null, depthMs, maxInFlight = null } = checkLimits(limits);
  const burst = intervalMs !== null && depthMs !== undefined ? depthMs / intervalMs : null;
  return presentLimits({ intervalMs, burst, maxInFlight });
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

  it('never changes the rate or the burst', () => {
    const positive = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(positive, positive, fc.option(fc.integer({ min: 1, max: 1000 })), (limit, perMs, burst) => {
        const view = shown({ limit, perMs, ...(burst === null ? {} : { burst }) });
        expect((view.limit ?? 0) / (view.perMs ?? 1) / (limit / perMs)).toBeCloseTo(1, 8);
        expect(view.burst).toBe(burst ?? limit);
      }),
    );
  });
});
