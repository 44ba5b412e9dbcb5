import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { scaleDown } from './scale-down.js';

const redis = useRedis({ appendonly: true });
const all = <T>(value: T, count: number) => Array.from({ length: count }, () => value);

test('A35: three of four workers, scaled down in the middle of jobs of 60 s, finish them, and no job runs twice', async () => {
  const result = await scaleDown(redis, { workers: 4, jobMs: 60_000, graceMs: 90_000 });
  expect(result).toEqual({
    exits: [0, 0, 0],
    states: all('completed', 8),
    attempts: all(1, 8),
    stalls: all(0, 8),
    began: 8,
    ended: 8,
    health: [200, 503],
  });
});

test('A35: a grace shorter than the jobs gives them back, no attempt burned, and who is left runs them anew', async () => {
  const result = await scaleDown(redis, { workers: 2, jobMs: 2_500, graceMs: 200 });
  expect(result).toEqual({
    exits: [0],
    states: all('completed', 4),
    attempts: all(1, 4),
    stalls: all(0, 4),
    // The two of the worker that left began again.
    began: 6,
    ended: 4,
    health: [200, 503],
  });
});
