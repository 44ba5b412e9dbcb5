import type { JobImplementation } from '@fairlane/sdk';
import { hostname } from 'node:os';
import type { FairlaneWorker } from './fairlane-worker.js';
import type { ConsumerHealth } from './health.js';
import { MOST_HANDLES_TOLD, MOST_JOBS_TOLD, type Beat } from '../workers/beat.js';

/** What a consumer tells the registry of itself. */
export function describeConsumer(
  { status, stuck }: ConsumerHealth,
  workers: readonly FairlaneWorker[],
  implementations: ReadonlyMap<string, JobImplementation>,
): Omit<Beat, 'connection' | 'everyMs' | 'eventLoopLagMs'> {
  const jobs = workers.flatMap(({ name: queue, runningJobs }) =>
    runningJobs.map((job) => Object.assign(job, { queue })),
  );
  const handles = [...implementations.values()].slice(0, MOST_HANDLES_TOLD);
  return {
    host: hostname(),
    pid: process.pid,
    isDraining: status !== 'running',
    isStuck: stuck,
    queues: workers.map(({ name, concurrency, maxSlots, busyCount }) => ({
      queue: name,
      slots: concurrency,
      maxSlots,
      busy: busyCount,
    })),
    jobs: jobs.slice(0, MOST_JOBS_TOLD),
    handles: Object.fromEntries(handles.map(({ contract }) => [contract.name, contract.version])),
  };
}
