import type { BenchQueue } from '../adapters/adapter.js';
import type { AdapterName } from '../adapters/by-name.js';
import type { Scale } from '../benchmark.js';
import { workload, type BenchJob } from '../workload.js';
import type { Measured } from './pairs.js';
import { inRun, serverCpuMs, type Run } from './run.js';

export interface ThroughputSetup {
  readonly adapter: AdapterName;
  readonly accounts: number;
  /** See {@link workload}. */
  readonly uneven?: boolean;
  readonly scale: Scale;
  readonly databaseUrl?: string;
  /** Sets limits or adds further jobs before the measured ones are loaded. */
  prepare?(queue: BenchQueue, run: Run): Promise<void>;
  /** Jobs mixed in among the measured ones, job by job. */
  readonly mixedIn?: Iterable<BenchJob>;
}

export const WORKER_CONCURRENCY = 50;
export const MEASURED_QUEUE = 'measured';
const WARM_UP_QUEUE = 'warm-up';
/** Only jobs of accounts with this prefix are counted. */
const MEASURED_PREFIX = 'acct';
/** Of the same length, but other jobs: the product would take them for duplicates. */
const WARM_UP_PREFIX = 'warm';

/**
 * Jobs a second of one worker process that works off a preloaded queue with an empty handler.
 * Every run has a fresh Redis and a fresh worker process: nothing a run leaves behind (fragmented memory,
 * optimised or de-optimised code) can favour one side of a pair throughout.
 *
 * The processor time a job took is noted beside: it hardly changes when the machine is busy with other
 * things, and tells which of the two processes a difference comes from.
 */
export async function throughput(setup: ThroughputSetup): Promise<Measured> {
  const { adapter, accounts, uneven = false, scale } = setup;
  return inRun({}, async (run) => {
    const warmUpQueue = await run.openQueue(adapter, WARM_UP_QUEUE);
    await warmUpQueue.load(workload({ jobs: scale.warmUpJobs, accounts, prefix: WARM_UP_PREFIX }));
    const queue = await run.openQueue(adapter, MEASURED_QUEUE);
    await setup.prepare?.(queue, run);
    const measured = workload({ jobs: scale.jobs, accounts, uneven, prefix: MEASURED_PREFIX });
    await queue.load(setup.mixedIn === undefined ? measured : alternating(measured, setup.mixedIn));
    const child = await run.start('drain', {
      adapter,
      concurrency: WORKER_CONCURRENCY,
      databaseUrl: setup.databaseUrl,
      warmUp: { queue: WARM_UP_QUEUE, jobs: scale.warmUpJobs, accountPrefix: WARM_UP_PREFIX },
      measured: { queue: MEASURED_QUEUE, jobs: scale.jobs, accountPrefix: MEASURED_PREFIX },
    });
    const redisCpuBefore = await serverCpuMs(run.redis);
    child.send('go');
    const { elapsedMs, cpuMs } = await child.result;
    const redisCpuMs = (await serverCpuMs(run.redis)) - redisCpuBefore;
    const perJob = (ms: number): string => `${Math.round((ms * 1_000) / scale.jobs)} µs`;
    return {
      value: (scale.jobs / elapsedMs) * 1_000,
      note: `CPU a job: Redis ${perJob(redisCpuMs)}, worker ${perJob(cpuMs)}`,
    };
  });
}

function* alternating<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  const others = second[Symbol.iterator]();
  for (const item of first) {
    yield item;
    const other = others.next();
    if (other.done !== true) yield other.value;
  }
}
