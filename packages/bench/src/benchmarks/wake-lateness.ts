import { setTimeout as delay } from 'node:timers/promises';

import { seededRandom } from '@fairlane/testkit/random';

import type { Benchmark } from '../benchmark.js';
import { inRun } from '../measure/run.js';
import { percentile, rounded } from '../measure/statistics.js';
import { accountName, benchJob } from '../workload.js';

const QUEUE = 'measured';
const GATES = 20;

/** How long after its instant an idle worker starts a job: scheduled ones, and those behind a gate (R8). */
export const wakeLateness: Benchmark = {
  names: ['wake_lateness_ms_p99'],
  async run(context) {
    const scheduled = await scheduledLatenessMs(context.quick ? 100 : 1_000);
    context.say(`scheduled: p50 ${percentile(scheduled, 50)} ms, p99 ${percentile(scheduled, 99)} ms`);
    const gated = await gateLatenessMs(context.quick ? 3_000 : 20_000);
    context.say(
      `gates: p50 ${percentile(gated, 50).toFixed(2)} ms, p99 ${percentile(gated, 99).toFixed(2)} ms`,
    );
    return { wake_lateness_ms_p99: rounded(percentile([...scheduled, ...gated], 99)) };
  },
};

/** Jobs due at their own instants, in no order; the worker has nothing else to do. */
async function scheduledLatenessMs(jobs: number): Promise<number[]> {
  return inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    const child = await run.start('observe', {
      adapter: 'lanes',
      queue: QUEUE,
      concurrency: 10,
      handlerMs: 0,
      untilStarts: jobs,
    });
    child.send('go');
    const random = seededRandom(jobs);
    const dueMs = new Map<string, number>();
    for (let index = 0; index < jobs; index += 1) {
      const delayMs = 1_000 + Math.floor(random() * jobs * 12);
      const job = { ...benchJob(accountName(index % 100), index), delayMs };
      dueMs.set(job.id, Date.now() + delayMs);
      await queue.add(job);
    }
    const { starts } = await child.result;
    return starts.map((start) => Math.max(0, start.wallMs - dueMs.get(start.id)!));
  });
}

/** Gates of burst 1, each with a period of its own: it opens exactly one period after the start before. */
async function gateLatenessMs(runMs: number): Promise<number[]> {
  const periodsMs = new Map(
    Array.from({ length: GATES }, (_, index) => [accountName(index), 250 + 37 * index]),
  );
  return inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    for (const [account, perMs] of periodsMs) await queue.limit!(account, { limit: 1, perMs, burst: 1 });
    const child = await run.start('observe', {
      adapter: 'lanes',
      queue: QUEUE,
      concurrency: 10,
      handlerMs: 0,
    });
    child.send('go');
    const jobs = Math.ceil(runMs / 250) * GATES;
    await queue.load(Array.from({ length: jobs }, (_, index) => benchJob(accountName(index % GATES), index)));
    await delay(runMs);
    child.send('stop');
    const { starts } = await child.result;

    const latenessMs: number[] = [];
    const lastStartMs = new Map<string, number>();
    for (const start of starts) {
      const lastMs = lastStartMs.get(start.account);
      if (lastMs !== undefined) {
        latenessMs.push(Math.max(0, start.monotonicMs - lastMs - periodsMs.get(start.account)!));
      }
      lastStartMs.set(start.account, start.monotonicMs);
    }
    return latenessMs;
  });
}
