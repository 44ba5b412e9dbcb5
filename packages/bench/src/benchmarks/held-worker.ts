import { setTimeout as delay } from 'node:timers/promises';

import type { Benchmark } from '../benchmark.js';
import { loadHeldJobs } from '../measure/held.js';
import { inRun, serverFigure } from '../measure/run.js';
import { rounded } from '../measure/statistics.js';

const QUEUE = 'measured';
const WORKERS = 2;
/** Start-up is not what is measured. */
const SETTLE_MS = 2_000;

interface Idleness {
  readonly commandsPerSecondPerWorker: number;
  readonly cpuFraction: number;
}

/** What workers do that have nothing but held jobs (R7, R10). Commands inside scripts count too. */
export const heldWorker: Benchmark = {
  names: ['held_commands_per_second_per_worker', 'held_worker_cpu_fraction'],
  async run(context) {
    const watchMs = context.quick ? 5_000 : 30_000;
    const sizes = context.quick ? [1_000, 10_000] : [5_000, 100_000];
    const measured: Idleness[] = [];
    for (const jobs of sizes) {
      const idleness = await idlenessWith(jobs, watchMs);
      context.say(
        `${jobs} held: ${idleness.commandsPerSecondPerWorker.toFixed(2)} commands/s, ` +
          `${(idleness.cpuFraction * 100).toFixed(2)} % of a CPU, a worker`,
      );
      measured.push(idleness);
    }
    return {
      held_commands_per_second_per_worker: rounded(
        Math.max(...measured.map((idleness) => idleness.commandsPerSecondPerWorker)),
      ),
      held_worker_cpu_fraction: rounded(Math.max(...measured.map((idleness) => idleness.cpuFraction))),
    };
  },
};

async function idlenessWith(jobs: number, watchMs: number): Promise<Idleness> {
  return inRun({}, async (run) => {
    await loadHeldJobs(run, QUEUE, { jobs, accounts: jobs / 100 });
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, () =>
        run.start('observe', { adapter: 'lanes', queue: QUEUE, concurrency: 10, handlerMs: 0 }),
      ),
    );
    await delay(SETTLE_MS);
    const before = await serverFigure(run.redis, 'stats', 'total_commands_processed');
    for (const worker of workers) worker.send('go');
    await delay(watchMs);
    const commands = (await serverFigure(run.redis, 'stats', 'total_commands_processed')) - before;
    for (const worker of workers) worker.send('stop');
    const results = await Promise.all(workers.map((worker) => worker.result));
    if (results.some((result) => result.starts.length > 0)) throw new Error('a held job was started');
    return {
      commandsPerSecondPerWorker: commands / (watchMs / 1_000) / WORKERS,
      cpuFraction: Math.max(...results.map((result) => result.cpuMs / result.watchedMs)),
    };
  });
}
