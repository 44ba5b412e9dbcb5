import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, quantile } from './durations.js';

const ms = fc.integer({ min: 2, max: 1_000_000_000 });

describe('durations in buckets', () => {
  it('come back within a tenth', () => {
    fc.assert(
      fc.property(ms, (value) => {
        const found = quantile(new Map([[bucketOf(value), 1]]), 0.5) ?? NaN;
        // Whole milliseconds are told.
        expect(Math.abs(found - value)).toBeLessThanOrEqual(0.1 * value + 0.5);
      }),
    );
  });

  it('are in so many buckets at most, whatever is measured', () => {
    for (const value of [-1, 0, NaN, 0.3, 1]) expect(bucketOf(value)).toBe(0);
    for (const value of [1e12, Infinity]) expect(bucketOf(value)).toBe(120);
  });

  it('give the quantiles of a list, as far as a bucket is wide', () => {
    fc.assert(
      fc.property(
        fc.array(ms, { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.99),
        (all, share) => {
          const durations = new Map<number, number>();
          for (const each of all) durations.set(bucketOf(each), (durations.get(bucketOf(each)) ?? 0) + 1);
          const sorted = all.toSorted((one, other) => one - other);
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
          expect(bucketOf(quantile(durations, share) ?? NaN)).toBe(bucketOf(exact));
        },
      ),
    );
  });

  it('of which there are none give none', () => {
    expect(quantile(new Map(), 0.5)).toBeNull();
  });
});
