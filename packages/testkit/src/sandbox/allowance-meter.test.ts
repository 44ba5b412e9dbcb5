import { describe, expect, it } from 'vitest';

import { AllowanceMeter } from './allowance-meter.js';

const limit = { limit: 10, perMs: 1_000, burst: 5 };

/** Sends whatever a token bucket allows, in steps of its refill, for `forMs` of work. */
function greedyTimes(forMs: number) {
  const spacingMs = limit.perMs / limit.limit;
  const steady = Array.from({ length: Math.floor(forMs / spacingMs) }, (_, nth) => (nth + 1) * spacingMs);
  return [...Array.from({ length: limit.burst }, () => 0), ...steady];
}

function fraction(meter: AllowanceMeter) {
  const measured = meter.measure();
  return measured === undefined ? undefined : measured.made / measured.allowed;
}

describe('the achieved fraction', () => {
  it('is 1 for a caller that takes every token', () => {
    const meter = new AllowanceMeter(limit);
    for (const at of greedyTimes(10_000)) meter.observe(at, true);
    expect(fraction(meter)).toBeCloseTo(1, 9);
  });

  it('is a half for a caller that leaves every second token', () => {
    const meter = new AllowanceMeter(limit);
    for (const [nth, at] of greedyTimes(100_000).entries()) if (nth % 2 === 1) meter.observe(at, true);
    expect(fraction(meter)).toBeCloseTo(0.5, 1);
  });

  it('ends at the last new reference: retries that wait out a backoff are no work', () => {
    const meter = new AllowanceMeter(limit);
    for (const at of greedyTimes(10_000)) meter.observe(at, true);
    meter.observe(60_000, false);
    expect(fraction(meter)).toBeCloseTo(1, 9);
  });

  it('does not count the time of a Retry-After as allowed, but the tokens that gather up to the burst', () => {
    const meter = new AllowanceMeter(limit);
    for (const at of greedyTimes(2_000)) meter.observe(at, true);
    meter.close(2_000, 5_000);
    for (const at of greedyTimes(2_000)) meter.observe(5_000 + at, true);
    expect(fraction(meter)).toBeCloseTo(1, 9);
  });

  it('says nothing about an account whose work hardly outlasted its burst', () => {
    const meter = new AllowanceMeter(limit);
    for (const at of greedyTimes(100)) meter.observe(at, true);
    expect(fraction(meter)).toBeUndefined();
  });
});
