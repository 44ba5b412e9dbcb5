import { setTimeout as delay } from 'node:timers/promises';
import type { RedisInTests } from '@fairlane/testkit/vitest';
import { expect } from 'vitest';
import { openOutreachJobs } from '../support/outreach-jobs.js';
import { openOutside } from '../support/outside.js';
import { startWorker, type WorkerProcess } from '../support/worker-process.js';

export interface RollingRestart {
  readonly workers: number;
  /** Each replaces all workers once, one after the other. */
  readonly rounds: number;
  /**
   * Handed in while workers are replaced, and as many again undisturbed: before, between and after the rounds, so that
   * a machine that gets busier does so to both.
   */
  readonly jobs: number;
  /** Jobs come in bursts, as those of a campaign do. */
  readonly burst: { readonly jobs: number; readonly everyMs: number };
  /** How long the outside takes to answer. */
  readonly answerMs: number;
}

export interface RollingRestartResult {
  readonly jobs: number;
  readonly completed: number;
  readonly restarts: number;
  /** Calls of the outside beyond one a job. */
  readonly repeated: number;
  /** Jobs that were started, or whose attempts were counted, other than once; or that were taken from a lost worker. */
  readonly burned: number;
  /** Exit codes of the workers that were stopped. */
  readonly exits: readonly (number | string)[];
  readonly undisturbedMs: { readonly p50: number; readonly p99: number };
  readonly restartedMs: { readonly p50: number; readonly p99: number };
  /** Of time in queue, restarted / undisturbed. */
  readonly p99Ratio: number;
}

/** Of three accounts without limits, so that waiting means waiting for a worker. */
export async function runRollingRestart(
  redis: RedisInTests,
  { workers: workerCount, rounds, jobs: disturbedJobs, burst, answerMs }: RollingRestart,
): Promise<RollingRestartResult> {
  await using outside = await openOutside();
  outside.answer(200, {}, answerMs);
  const jobs = openOutreachJobs(redis.url, redis.prefix);
  const start = async () =>
    startWorker('shipped', {
      REDIS_URL: redis.url,
      FAIRLANE_PREFIX: redis.prefix,
      OUTREACH_GATEWAY_URL: outside.url,
      WORKER_QUEUES: 'outreach:10-10',
      LOG_LEVEL: 'warn',
    });
  const running: WorkerProcess[] = [];
  const exits: (number | string)[] = [];
  const jobsARound = Math.ceil(disturbedJobs / rounds);
  const calmJobs = Math.ceil(disturbedJobs / (rounds + 1));
  let completed = 0;
  let isHandingIn = false;
  let waiting: (() => void)[] = [];
  const nextBurst = async () =>
    new Promise<void>((resolve) => {
      if (isHandingIn) waiting.push(resolve);
      else resolve();
    });
  const tellBurst = () => {
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  /** Hands jobs in, tells how many are in after each burst, and waits for their ends. */
  async function phase(
    count: number,
    handedIn: (soFar: number) => void = () => undefined,
  ): Promise<string[]> {
    const ids: string[] = [];
    const startedAt = performance.now();
    isHandingIn = true;
    for (let bursts = 0; ids.length < count; bursts += 1) {
      await delay(Math.max(0, startedAt + bursts * burst.everyMs - performance.now()));
      ids.push(...(await jobs.enqueue(Math.min(burst.jobs, count - ids.length))));
      tellBurst();
      handedIn(ids.length);
    }
    isHandingIn = false;
    tellBurst();
    completed += count;
    await expect
      .poll(async () => (await jobs.producer.queueCounts('outreach')).completed, { timeout: 120_000 })
      .toBe(completed);
    return ids;
  }

  /** A new worker takes jobs before an old one drains, as the Kubernetes deployment does it. */
  async function replaceOne(): Promise<void> {
    running.push(await start());
    const old = running.shift();
    // In the middle of its jobs, not in the pause before more of them come.
    await nextBurst();
    old?.signal('SIGTERM');
    exits.push((await old?.exit) ?? 'none');
  }

  try {
    for (let at = 0; at < workerCount; at += 1) running.push(await start());
    // Code is compiled, scripts are loaded.
    await phase(burst.jobs);
    const undisturbed = await phase(calmJobs);
    const disturbed: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      let restarting = Promise.resolve();
      let asked = 0;
      disturbed.push(
        ...(await phase(jobsARound, (soFar) => {
          // Spread over the jobs; where that is too fast they follow each other without a pause.
          for (; asked < workerCount && asked / workerCount < soFar / jobsARound; asked += 1) {
            restarting = restarting.then(replaceOne);
          }
        })),
      );
      await restarting;
      undisturbed.push(...(await phase(calmJobs)));
    }
    const seen = await readRuns(redis, [...undisturbed, ...disturbed]);
    const undisturbedMs = percentiles(undisturbed.map((id) => seen.get(id)?.waitedMs ?? Number.NaN));
    const restartedMs = percentiles(disturbed.map((id) => seen.get(id)?.waitedMs ?? Number.NaN));
    return {
      jobs: seen.size,
      completed: completed - burst.jobs,
      restarts: exits.length,
      repeated: outside.repeated(),
      burned: [...seen.values()].filter(({ isClean }) => !isClean).length,
      exits,
      undisturbedMs,
      restartedMs,
      p99Ratio: Math.round((restartedMs.p99 / undisturbedMs.p99) * 100) / 100,
    };
  } finally {
    for (const worker of running) await worker[Symbol.asyncDispose]();
    await jobs.close();
  }
}

interface Run {
  readonly waitedMs: number;
  /** Started once, ended once, never taken from a lost worker. */
  readonly isClean: boolean;
}

const PAGE = 1_000;

/** As BullMQ keeps them: when a job was handed in and started, and how often (`ats`, `atm`, `stc`). */
async function readRuns(redis: RedisInTests, ids: readonly string[]): Promise<Map<string, Run>> {
  const runs = new Map<string, Run>();
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = ids.slice(from, from + PAGE);
    const pipeline = redis.client.pipeline();
    for (const id of page) {
      pipeline.hmget(
        `${redis.prefix}:outreach:${id}`,
        'timestamp',
        'processedOn',
        'finishedOn',
        'ats',
        'atm',
        'stc',
      );
    }
    const replies = (await pipeline.exec()) ?? [];
    for (const [at, id] of page.entries()) {
      const fields = (replies[at]?.[1] ?? []) as (string | null)[];
      const [addedAt, startedAt, endedAt, starts, made, stalls] = fields;
      runs.set(id, {
        waitedMs: Number(startedAt) - Number(addedAt),
        isClean: typeof endedAt === 'string' && starts === '1' && made === '1' && (stalls ?? '0') === '0',
      });
    }
  }
  return runs;
}

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
