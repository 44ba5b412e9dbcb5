import { describe, expect, it } from 'vitest';

import { allowedStarts, rateViolations } from './rate-check.js';

const tenASecond = { limit: 10, perMs: 1_000, burst: 3 };

describe('rateViolations', () => {
  it('accepts a burst and then the rate, exactly', () => {
    const starts = [0, 0, 0, 100, 200, 300, 400];
    expect(rateViolations(starts, tenASecond, 0)).toBe(0);
  });

  it('counts every start beyond the burst', () => {
    expect(rateViolations([0, 0, 0, 0, 0], tenASecond, 0)).toBe(2);
  });

  it('counts a start that comes 1 ms early, and forgives it within the slack', () => {
    const starts = [0, 0, 0, 99];
    expect(rateViolations(starts, tenASecond, 0)).toBe(1);
    expect(rateViolations(starts, tenASecond, 1)).toBe(0);
  });

  it('does not let idle time add up to more than the burst', () => {
    const starts = [0, 60_000, 60_000, 60_000, 60_000];
    expect(rateViolations(starts, tenASecond, 0)).toBe(1);
  });

  it('sees a rate that is twice too high', () => {
    const starts = Array.from({ length: 100 }, (_, index) => index * 50);
    expect(rateViolations(starts, tenASecond, 100)).toBeGreaterThan(40);
  });
});

it('allows the burst and what comes back in the time', () => {
  expect(allowedStarts(tenASecond, 1_950)).toBe(3 + 19);
});
