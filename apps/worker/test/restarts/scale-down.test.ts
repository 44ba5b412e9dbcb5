import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { scaleDown } from './scale-down.js';

const redis = useRedis();
const all = <T>(value: T, count: number) => Array.from({ length: count }, () => value);

test(
  'A35: a busy worker that is scaled down finishes what it runs, past a lease, and nothing runs twice',
  { timeout: 120_000 },
  async () => {
    // Longer than the lease of 5 s: a worker that drains has to renew.
    const result = await scaleDown(redis, { workers: 2, jobMs: 6_000, graceMs: 30_000 });
    expect(result).toEqual({
      exits: [0],
      states: all('completed', 4),
      attempts: all(1, 4),
      stalls: all(0, 4),
      began: 4,
      ended: 4,
      health: [200, 503],
    });
  },
);
