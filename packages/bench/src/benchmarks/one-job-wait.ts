import { setTimeout as delay } from 'node:timers/promises';

import { seededRandom } from '@fairlane/testkit/random';

import type { Benchmark } from '../benchmark.js';
import { monotonicMs } from '../measure/clock.js';
import { limitAccounts, WIDE_OPEN } from '../measure/limits.js';
import { inRun } from '../measure/run.js';
import { percentile, rounded } from '../measure/statistics.js';
import { accountName, benchJob } from '../workload.js';

const ACCOUNTS = 100;
const QUEUE = 'measured';
/** Worker's event loop and scripts are warm after so many. */
const WARM_UP_JOBS = 100;

/** From the call of `add` to the first line of the handler, one job at a time, on an idle worker (R8). */
export const oneJobWait: Benchmark = {
  names: ['one_job_wait_ms_p99'],
  async run(context) {
    const jobs = WARM_UP_JOBS + (context.quick ? 200 : 2_000);
    const waitsMs = await inRun({}, async (run) => {
      const queue = await run.openQueue('lanes', QUEUE);
      await limitAccounts(queue, { accounts: ACCOUNTS, limits: WIDE_OPEN });
      const child = await run.start('observe', {
        adapter: 'lanes',
        queue: QUEUE,
        concurrency: 10,
        handlerMs: 0,
        untilStarts: jobs,
      });
      child.send('go');
      const addedMs = new Map<string, number>();
      const random = seededRandom(jobs);
      for (let index = 0; index < jobs; index += 1) {
        const job = benchJob(accountName(index % ACCOUNTS), index);
        addedMs.set(job.id, monotonicMs());
        await queue.add(job);
        // Uneven gaps, so that no timer of the worker runs in step with them.
        await delay(5 + random() * 20);
      }
      const { starts } = await child.result;
      return starts.slice(WARM_UP_JOBS).map((start) => start.monotonicMs - addedMs.get(start.id)!);
    });
    context.say(
      `p50 ${percentile(waitsMs, 50).toFixed(2)} ms, worst ${percentile(waitsMs, 100).toFixed(2)} ms`,
    );
    return { one_job_wait_ms_p99: rounded(percentile(waitsMs, 99)) };
  },
};
