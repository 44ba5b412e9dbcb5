import type { RedisInTests } from '@fairlane/testkit/vitest';
import { expect } from 'vitest';
import { openTimedJobs } from '../support/timed-jobs.js';
import { startWorker, type WorkerProcess } from '../support/worker-process.js';

export interface ScaleDown {
  /** Of which all but one are stopped in the middle of their jobs. */
  readonly workers: number;
  /** How long each job takes, ms. */
  readonly jobMs: number;
  /** How long a stopped worker may go on. */
  readonly graceMs: number;
}

export interface ScaleDownResult {
  readonly exits: readonly (number | string)[];
  readonly states: readonly (string | undefined)[];
  readonly attempts: readonly (number | undefined)[];
  readonly stalls: readonly (number | undefined)[];
  /** How often handlers began and ended, over all workers. */
  readonly began: number;
  readonly ended: number;
  /** `/healthz` and `/readyz` of a worker that drains. */
  readonly health: readonly [healthz: number, readyz: number];
}

const SLOTS = 2;

/** Workers with every slot busy and an empty queue; all but one are stopped. Ends when all jobs have. */
export async function scaleDown(
  redis: RedisInTests,
  { workers: count, jobMs, graceMs }: ScaleDown,
): Promise<ScaleDownResult> {
  const jobs = openTimedJobs(redis.url, redis.prefix);
  const workers: WorkerProcess[] = [];
  const said = (what: 'began' | 'ended') =>
    workers.flatMap((worker) => worker.lines().filter((line) => what in line));
  const started = await Promise.all(
    Array.from({ length: count }, async () =>
      startWorker('timed', {
        REDIS_URL: redis.url,
        FAIRLANE_PREFIX: redis.prefix,
        WORKER_QUEUES: `timed:${SLOTS}-${SLOTS}`,
        WORKER_LEASE_MS: '5000',
        WORKER_GRACE_MS: String(graceMs),
        LOG_LEVEL: 'warn',
      }),
    ),
  );
  workers.push(...started);
  try {
    const ids = await jobs.enqueue(SLOTS * count, jobMs);
    await expect.poll(() => said('began')).toHaveLength(ids.length);
    const [, ...leaving] = workers;
    for (const worker of leaving) worker.signal('SIGTERM');
    const [first] = leaving;
    await expect.poll(async () => (await first?.check('/readyz'))?.status).toBe(503);
    const healthz = (await first?.check('/healthz'))?.status ?? 0;
    const exits = await Promise.all(leaving.map(async (worker) => worker.exit));
    await expect
      .poll(async () => (await jobs.producer.queueCounts('timed')).completed, { timeout: 3 * jobMs + 60_000 })
      .toBe(ids.length);
    const views = await jobs.views(ids);
    return {
      exits,
      states: views.map((view) => view?.state),
      attempts: views.map((view) => view?.attempts.made),
      stalls: views.map((view) => view?.stalls),
      began: said('began').length,
      ended: said('ended').length,
      health: [healthz, 503],
    };
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
    await jobs.producer.close();
  }
}
