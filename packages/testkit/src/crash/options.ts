import { z } from 'zod';

const count = z.coerce.number().int().min(0);

const optionsSchema = z.object({
  jobs: count.min(1),
  accounts: count.min(1),
  workers: count.min(2),
  /** Of the campaign, the platform's faults and the plan of faults. */
  seed: count,
  /** Workers that are SIGKILLed. */
  kills: count,
  /** Redis, and Postgres where the ledger is there, SIGKILLed and started again on their files. */
  restarts: count,
  /** Connections reset, at times all of them at once. */
  cuts: count,
  /** Workers SIGSTOPped past their lease. */
  stops: count,
  /** Times that Redis is read-only for ten seconds. */
  readOnly: count,
  /** Times that Redis has no memory left for five seconds. */
  full: count,
  /** What the limits of the accounts make the run take at least. */
  seconds: count.min(1),
  appendfsync: z.enum(['always', 'everysec']),
  ledger: z.enum(['redis', 'postgres']),
});

export type CrashOptions = Readonly<z.infer<typeof optionsSchema>>;

export const FULL_RUN: CrashOptions = {
  jobs: 50_000,
  accounts: 60,
  workers: 4,
  seed: 1,
  kills: 200,
  restarts: 3,
  cuts: 20,
  stops: 20,
  readOnly: 1,
  full: 1,
  seconds: 900,
  appendfsync: 'everysec',
  ledger: 'redis',
};

const SIZES = ['jobs', 'kills', 'restarts', 'cuts', 'stops', 'seconds'] as const;

/**
 * A full run, changed by the environment: `CRASH_SCALE=0.1` makes a tenth of it, `CRASH_JOBS`, `CRASH_KILLS`,
 * `CRASH_READ_ONLY` and so on set one thing.
 */
export function crashOptions(env: NodeJS.ProcessEnv): CrashOptions {
  const scale = z.coerce
    .number()
    .positive()
    .parse(env['CRASH_SCALE'] ?? 1);
  // What there is at all stays, however small the run.
  const sizes = SIZES.map((name) => [name, Math.max(1, Math.round(FULL_RUN[name] * scale))]);
  const given = Object.keys(FULL_RUN).flatMap((name) => {
    const value = env[`CRASH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`];
    return value === undefined ? [] : [[name, value]];
  });
  return optionsSchema.parse({
    ...FULL_RUN,
    ...Object.fromEntries(sizes),
    ...Object.fromEntries(given),
  });
}
