import { describe, expect, it } from 'vitest';
import { isStuck } from './health.js';

describe('a consume loop', () => {
  it.each([
    ['idle and asking', { busy: 0, lastPollAgeMs: 9_000 }, false],
    ['silent with a free slot', { busy: 4, lastPollAgeMs: 61_000 }, true],
    ['silent since every slot is busy', { busy: 5, lastPollAgeMs: 600_000 }, false],
  ])('%s', (_what, { busy, lastPollAgeMs }, stuck) => {
    expect(isStuck({ name: 'parcels', slots: 5, busy, lastPollAgeMs })).toBe(stuck);
  });
});
