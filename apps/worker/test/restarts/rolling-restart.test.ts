import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { runRollingRestart } from './rolling-restart.js';

const redis = useRedis();

test(
  'R1 R2 A35: two workers replaced one by one under load lose and double nothing and burn no attempt',
  { timeout: 120_000 },
  async () => {
    const burst = { jobs: 40, everyMs: 200 };
    const result = await runRollingRestart(redis, { workers: 2, rounds: 1, jobs: 240, burst, answerMs: 100 });
    expect(result).toMatchObject({
      jobs: 480,
      completed: 480,
      restarts: 2,
      repeated: 0,
      burned: 0,
      exits: [0, 0],
    });
  },
);
