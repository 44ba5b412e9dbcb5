import { setTimeout as delay } from 'node:timers/promises';

import { scaleOf, type Benchmark } from '../benchmark.js';
import { medianRatio, type Measured } from '../measure/pairs.js';
import { inRun, serverCpuMs } from '../measure/run.js';
import { workload } from '../workload.js';

const QUEUE = 'measured';
const SLOTS = 10;
const HANDLER_MS = 20;

/**
 * Whether a second worker process doubles the work done, with handlers that wait 20 ms for an answer. Ten slots do at
 * most 500 jobs a second, so that one worker is limited by its slots and neither by Redis nor by its processor. The
 * processor time that a job costs is noted beside: what Redis spends on one tells how many it can carry.
 */
export const twoWorkers: Benchmark = {
  names: ['workers_2_vs_1'],
  async run(context) {
    const watchMs = context.quick ? 2_000 : 10_000;
    const ratio = await medianRatio(
      { pairs: scaleOf(context).pairs, sides: ['2 workers', '1 worker'], say: context.say },
      () => jobsPerSecond(2, watchMs),
      () => jobsPerSecond(1, watchMs),
    );
    return { workers_2_vs_1: ratio };
  },
};

async function jobsPerSecond(workerCount: number, watchMs: number): Promise<Measured> {
  return inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    // What two workers could do at the very most, in the time watched and the start-up before it.
    const jobs = 2 * SLOTS * Math.ceil((watchMs + 5_000) / HANDLER_MS);
    await queue.load(workload({ jobs, accounts: 100 }));
    const workers = await Promise.all(
      Array.from({ length: workerCount }, () =>
        run.start('observe', {
          adapter: 'lanes',
          queue: QUEUE,
          concurrency: SLOTS,
          handlerMs: HANDLER_MS,
        }),
      ),
    );
    await delay(1_000);
    for (const worker of workers) worker.send('go');
    const redisCpuBefore = await serverCpuMs(run.redis);
    await delay(watchMs);
    for (const worker of workers) worker.send('stop');
    const redisCpuMs = (await serverCpuMs(run.redis)) - redisCpuBefore;
    if ((await queue.unfinished()) === 0) throw new Error('the jobs were used up before the time was over');
    const results = await Promise.all(workers.map((worker) => worker.result));
    const rates = results.map((result) => (result.starts.length / result.watchedMs) * 1_000);
    const done = total(results.map((result) => result.starts.length));
    const perJob = (ms: number): string => `${Math.round((ms * 1_000) / done)} µs`;
    const workerCpuMs = total(results.map((result) => result.cpuMs));
    return {
      value: total(rates),
      note: `CPU a job: Redis ${perJob(redisCpuMs)}, worker ${perJob(workerCpuMs)}`,
    };
  });
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
