import { describe, expect, it } from 'vitest';
import { retryAfter } from './retry-after.js';

describe('Retry-After of our answers', () => {
  it.each([
    ['whole seconds', 2_000, '2'],
    ['never less than was meant', 1_001, '2'],
    ['never 0', 1, '1'],
    ['never 0, though the time has passed', -5_000, '1'],
    ['never rubbish', Number.NaN, '1'],
  ])('A08 A09 is %s', (_what, ms, seconds) => {
    expect(retryAfter(ms)).toEqual({ 'retry-after': seconds });
  });
});
