import { describe, expect, it } from 'vitest';

import { median, percentile, rounded } from './statistics.js';

describe('median', () => {
  it('is the middle value whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it('is the mean of the two middle values for an even count', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('refuses an empty list instead of answering NaN', () => {
    expect(() => median([])).toThrow('at least one value');
  });
});

describe('percentile', () => {
  const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is a measured value by nearest rank', () => {
    expect(percentile(oneToHundred, 99)).toBe(99);
    expect(percentile(oneToHundred, 50)).toBe(50);
    expect(percentile([7], 99)).toBe(7);
  });

  it('does not hide the worst value behind the 100th', () => {
    expect(percentile([1, 1, 1, 50], 100)).toBe(50);
  });

  it.each([0, -1, 101, Number.NaN])('refuses %d percent', (percent) => {
    expect(() => percentile([1], percent)).toThrow('percentage');
  });
});

it('rounds to four digits', () => {
  expect(rounded(0.912345)).toBe(0.9123);
  expect(rounded(12_345.6)).toBe(12_350);
});
