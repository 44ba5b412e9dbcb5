import { useRedis } from '@fairlane/testkit/vitest';
import { describe, it } from 'vitest';
import type { GroupLimits } from '../src/settings/limits.js';
import { SharedCallsRun } from './support/shared-calls-run.js';

const USUAL_RUNS = 12;
/** `LANES_RUNS` lengthens them; with the seed in a run's name as `LANES_SEED`, `LANES_RUNS=1` repeats that run alone. */
const RUNS = Number(process.env['LANES_RUNS'] ?? USUAL_RUNS);
const SEED = Number(process.env['LANES_SEED'] ?? Date.now() % 2 ** 31);
const STEPS = 60;
const MOST_MS_A_RUN = 30_000;

/** How the groups are limited decides which way an admission goes, and which of the counts there are. */
const SETTINGS: readonly [name: string, groups: Record<string, GroupLimits>][] = [
  ['limits of accounts alone', { default: {} }],
  ['claims limited by default', { default: { default: { maxInFlight: 20 } } }],
  [
    'claims and rate limited by default',
    { default: { default: { maxInFlight: 20, limit: 30, perMs: 1_000 } } },
  ],
  ['a total', { default: { total: { maxInFlight: 4 } } }],
  ['two groups', { default: {}, email: { default: { maxInFlight: 3 } } }],
  [
    'two groups with totals',
    {
      default: { default: { maxInFlight: 3 }, total: { maxInFlight: 6 } },
      email: { total: { limit: 20, perMs: 1_000 } },
    },
  ],
];

const redis = useRedis();

describe('runs that share calls', () => {
  it.each(
    Array.from({ length: RUNS }, (_run, at) => {
      const seed = SEED + at;
      const [name, groups] = SETTINGS[seed % SETTINGS.length]!;
      return [name, seed, groups] as const;
    }),
  )(
    'R1, R4, R11: all that is counted is what there is, after any step, with %s (seed %i)',
    async (_name, seed, groups) => {
      const run = new SharedCallsRun(redis.client, redis.prefix, groups, seed);
      try {
        await run.ready();
        await run.steps(STEPS);
        await run.die();
      } finally {
        await run.close();
      }
    },
    MOST_MS_A_RUN,
  );
});
