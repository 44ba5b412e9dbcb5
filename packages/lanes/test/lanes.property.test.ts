import { useRedis } from '@fairlane/testkit/vitest';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ModelRun } from './support/model-run.js';
import { plainStep, step, type Step } from './support/model-steps.js';

const USUAL_RUNS = 60;
/** Runs of each property; `LANES_RUNS` and `LANES_SEED` repeat or lengthen them. */
const RUNS = Number(process.env['LANES_RUNS'] ?? USUAL_RUNS);
/** Where there is time for many runs, runs of many steps: those of 12 on average meet few settings at once. */
const SIZE = RUNS > USUAL_RUNS ? 'max' : 'small';
const MOST_MS_A_RUN = 10_000;
const SEED = Number(process.env['LANES_SEED'] ?? Date.now() % 2 ** 31);

const sequence = (each: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> =>
  fc.array(each, { minLength: 5, maxLength: 60, size: SIZE });

const redis = useRedis();
let client: Redis;
let runs = 0;

beforeAll(() => {
  client = new Redis(redis.url, { maxRetriesPerRequest: null });
});
afterAll(() => {
  client.disconnect();
});

describe('lanes against a simple model', () => {
  it(
    `R1, R3, R4, R5, R6, R9, R11: any sequence of steps (seed ${SEED}, ${RUNS} runs)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(sequence(step), sequence(plainStep)), async (steps) => {
          runs += 1;
          const run = new ModelRun(client, `{run-${runs}}`);
          try {
            await run.ready();
            for (const each of steps) {
              await run.step(each);
            }
            await run.check();
          } finally {
            await run.close();
          }
        }),
        { seed: SEED, numRuns: RUNS, endOnFailure: false },
      );
    },
    RUNS * MOST_MS_A_RUN,
  );
});
