import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../contract/contract.js';
import { nextDelayMs, retryDelayMs } from './retry.js';

const policies: fc.Arbitrary<RetryPolicy> = fc
  .record({
    attempts: fc.integer({ min: 1, max: 10_000 }),
    baseMs: fc.integer({ min: 1, max: 86_400_000 }),
    extraMs: fc.integer({ min: 0, max: 30 * 86_400_000 }),
    maxRetryAfterMs: fc.integer({ min: 0, max: 30 * 86_400_000 }),
    maxDeferMs: fc.constant(86_400_000),
  })
  .map(({ extraMs, ...policy }) => ({ ...policy, capMs: policy.baseMs + extraMs }));

const attempts = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.constantFrom(0, -1, 1e308, Infinity, NaN),
);
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoff', () => {
  it('A10 is a whole number from 0 to the cap for any attempt and any draw', () => {
    fc.assert(
      fc.property(policies, attempts, randoms, (policy, attempt, random) => {
        const delay = nextDelayMs(policy, attempt, () => random);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(policy.capMs);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([1, 50, 1_100, 1e6])('A10 stays below the cap at attempt %i', (attempt) => {
    const delay = nextDelayMs(DEFAULT_RETRY_POLICY, attempt, () => 0.999_999_999);
    expect(delay).toBeLessThanOrEqual(900_000);
    expect(delay).toBeGreaterThan(attempt === 1 ? 4_999 - 1 : 899_998);
  });

  it('doubles the range with every attempt until the cap', () => {
    const ranges = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) =>
      nextDelayMs(DEFAULT_RETRY_POLICY, attempt, () => 0.5),
    );
    expect(ranges).toEqual([2_500, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 450_000]);
  });

  it('jitters over the whole range', () => {
    expect(nextDelayMs(DEFAULT_RETRY_POLICY, 3, () => 0)).toBe(0);
    expect(nextDelayMs(DEFAULT_RETRY_POLICY, 3, () => 0.999_99)).toBe(19_999);
  });
});

describe('delay of a retry', () => {
  it('A09 is never below 0, whatever was asked for', () => {
    const asked = fc.oneof(fc.double(), fc.constantFrom(-1, -1e15, Number.NaN, Infinity));
    fc.assert(
      fc.property(policies, attempts, asked, randoms, (policy, attempt, retryAfterMs, random) => {
        const delay = retryDelayMs(policy, attempt, { retryAfterMs }, () => random);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.max(policy.capMs, policy.maxRetryAfterMs));
      }),
    );
  });

  it('A08 honours what was asked for, longer or shorter than the backoff', () => {
    expect(retryDelayMs(DEFAULT_RETRY_POLICY, 1, { retryAfterMs: 60_000 }, () => 0.5)).toBe(60_000);
    expect(retryDelayMs(DEFAULT_RETRY_POLICY, 8, { retryAfterMs: 1_500 }, () => 0.5)).toBe(1_500);
  });

  it('caps what was asked for', () => {
    expect(retryDelayMs(DEFAULT_RETRY_POLICY, 1, { retryAfterMs: 1e12 }, () => 0.5)).toBe(86_400_000);
  });

  it('A08 backs off where nothing usable was asked for', () => {
    expect(retryDelayMs(DEFAULT_RETRY_POLICY, 2, {}, () => 0.5)).toBe(5_000);
    expect(retryDelayMs(DEFAULT_RETRY_POLICY, 2, { retryAfterMs: Number.NaN }, () => 0.5)).toBe(5_000);
  });
});
