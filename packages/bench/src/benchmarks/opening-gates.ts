import { setTimeout as delay } from 'node:timers/promises';

import type { Benchmark } from '../benchmark.js';
import { medianRatio, type Measured } from '../measure/pairs.js';
import { inRun, serverFigure } from '../measure/run.js';
import { accountName, benchJob } from '../workload.js';

const QUEUE = 'measured';
const WORKERS = 8;
const STARTS_A_SECOND = 50;
/** Start-up is not what is measured. */
const SETTLE_MS = 2_000;

/**
 * Commands of Redis a job, inside scripts included, of eight workers against one where a single account opens fifty times
 * a second (R7): whether each opening wakes one worker or all of them.
 */
export const openingGates: Benchmark = {
  names: ['opening_commands_8_vs_1_workers'],
  async run(context) {
    const watchMs = context.quick ? 3_000 : 10_000;
    const ratio = await medianRatio(
      { pairs: context.quick ? 1 : 3, sides: [`${WORKERS} workers`, 'one'], say: context.say },
      () => commandsAJob(WORKERS, watchMs),
      () => commandsAJob(1, watchMs),
    );
    return { opening_commands_8_vs_1_workers: ratio };
  },
};

async function commandsAJob(count: number, watchMs: number): Promise<Measured> {
  return inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    await queue.limit!(accountName(0), { limit: STARTS_A_SECOND, perMs: 1_000, burst: 1 });
    const workers = await Promise.all(
      Array.from({ length: count }, () =>
        run.start('observe', { adapter: 'lanes', queue: QUEUE, concurrency: 10, handlerMs: 5 }),
      ),
    );
    const jobs = Math.ceil((STARTS_A_SECOND * 2 * (SETTLE_MS + watchMs)) / 1_000);
    await queue.load(Array.from({ length: jobs }, (_, index) => benchJob(accountName(0), index)));
    await delay(SETTLE_MS);
    for (const worker of workers) worker.send('go');
    const before = await serverFigure(run.redis, 'stats', 'total_commands_processed');
    await delay(watchMs);
    const commands = (await serverFigure(run.redis, 'stats', 'total_commands_processed')) - before;
    for (const worker of workers) worker.send('stop');
    const results = await Promise.all(workers.map((worker) => worker.result));
    const starts = results.reduce((sum, result) => sum + result.starts.length, 0);
    return { value: commands / starts, note: `${Math.round((starts * 1_000) / watchMs)} jobs a second` };
  });
}
