import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { runRollingRestart } from './rolling-restart.js';

const redis = useRedis({ appendonly: true });

const jobs = Number(process.env['ROLLING_JOBS'] ?? 20_000);

test(`R1 R2 A35: four workers replaced one by one, three times, under ${jobs} jobs: nothing lost or doubled, no attempt burned, p99 time in queue below twice the undisturbed`, async () => {
  const burst = { jobs: 200, everyMs: Number(process.env['ROLLING_EVERY_MS'] ?? 2_000) };
  const result = await runRollingRestart(redis, { workers: 4, rounds: 3, jobs, burst, answerMs: 100 });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  expect(result.jobs).toBeGreaterThanOrEqual(2 * jobs);
  expect(result).toMatchObject({
    completed: result.jobs,
    restarts: 12,
    repeated: 0,
    burned: 0,
    exits: Array.from({ length: 12 }, () => 0),
  });
  expect(result.p99Ratio).toBeLessThan(2);
});
