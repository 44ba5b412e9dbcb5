import { describe, expect, it } from 'vitest';
import { isStuck } from './health.js';

describe('a consume loop', () => {
  it.each([
    ['idle and asking', { busy: 0, lastPollAgeMs: 9_000 }, false],
    ['silent with a free slot for two leases', { busy: 4, lastPollAgeMs: 61_000 }, true],
    ['silent with a free slot for less', { busy: 4, lastPollAgeMs: 59_000 }, false],
    ['silent since every slot is busy', { busy: 5, lastPollAgeMs: 600_000 }, false],
  ])('%s', (_what, { busy, lastPollAgeMs }, stuck) => {
    expect(isStuck({ name: 'parcels', slots: 5, busy, lastPollAgeMs }, 30_000)).toBe(stuck);
  });

  it('is given ten seconds however short the lease', () => {
    const loop = { name: 'parcels', slots: 5, busy: 0 };
    expect(isStuck({ ...loop, lastPollAgeMs: 9_900 }, 500)).toBe(false);
    expect(isStuck({ ...loop, lastPollAgeMs: 10_100 }, 500)).toBe(true);
  });
});
