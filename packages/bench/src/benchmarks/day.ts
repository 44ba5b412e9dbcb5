import { setTimeout as delay } from 'node:timers/promises';

import type { Benchmark } from '../benchmark.js';
import { monotonicMs } from '../measure/clock.js';
import { inRun } from '../measure/run.js';
import { rounded } from '../measure/statistics.js';
import { workload } from '../workload.js';

const QUEUE = 'outreach';
const WORKERS = 2;
/** As shipped for the queue of outreach jobs. */
const SLOTS = 10;

/** A day's jobs from the first one handed in to the last one done, through producer, consumer and ledger. */
export const day: Benchmark = {
  names: ['day_in_seconds'],
  async run(context) {
    const jobs = context.quick ? 4_000 : 200_000;
    const accounts = context.quick ? 40 : 2_000;
    const elapsedMs = await inRun({}, async (run) => {
      const adapter = 'product-redis-ledger';
      const queue = await run.openQueue(adapter, QUEUE);
      const workers = await Promise.all(
        Array.from({ length: WORKERS }, () =>
          run.start('observe', { adapter, queue: QUEUE, concurrency: SLOTS, handlerMs: 0 }),
        ),
      );
      for (const worker of workers) worker.send('go');
      const startMs = monotonicMs();
      await queue.load(workload({ jobs, accounts }));
      context.say(`handed in after ${((monotonicMs() - startMs) / 1_000).toFixed(1)} s`);
      while ((await queue.unfinished()) > 0) await delay(100);
      const endMs = monotonicMs();
      for (const worker of workers) worker.send('stop');
      const results = await Promise.all(workers.map((worker) => worker.result));
      const starts = results.reduce((sum, result) => sum + result.starts.length, 0);
      if (starts !== jobs) throw new Error(`expected ${jobs} jobs to run once, saw ${starts} starts`);
      return endMs - startMs;
    });
    return { day_in_seconds: rounded(elapsedMs / 1_000) };
  },
};
