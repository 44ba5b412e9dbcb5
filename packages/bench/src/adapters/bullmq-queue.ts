import { type BackendFactory, type JobsOptions, Queue, Worker, type Job, type Processor } from 'bullmq';

import { JOB_NAME, type BenchData, type BenchJob } from '../workload.js';
import {
  abortRun,
  inBatches,
  LOAD_BATCH_JOBS,
  type BenchQueue,
  type BenchWorker,
  type Place,
  type WorkerOptions,
} from './adapter.js';

/** One hash tag for every system, as the product ships it: key names cost memory and parsing time. */
export const PREFIX = '{fairlane}';

export interface BullMqOptions {
  /** Left out: BullMQ's own Redis backend. */
  readonly backend?: BackendFactory;
  /** Options a system adds to each job. */
  readonly jobOptions?: (job: BenchJob) => JobsOptions;
}

export async function openBullMqQueue(
  { port, queue: name }: Place,
  { backend, jobOptions = () => ({}) }: BullMqOptions = {},
): Promise<BenchQueue> {
  const connection = { host: '127.0.0.1', port };
  const queue =
    backend === undefined
      ? new Queue(name, { connection, prefix: PREFIX })
      : new Queue(name, { connection, prefix: PREFIX }, backend);
  await queue.waitUntilReady();

  const optionsOf = (job: BenchJob): JobsOptions => ({
    jobId: job.id,
    ...(job.delayMs === undefined ? {} : { delay: job.delayMs }),
    ...jobOptions(job),
  });
  return {
    async load(jobs) {
      await inBatches(jobs, LOAD_BATCH_JOBS, (batch) =>
        queue.addBulk(batch.map((job) => ({ name: JOB_NAME, data: job.data, opts: optionsOf(job) }))),
      );
    },
    async add(job) {
      await queue.add(JOB_NAME, job.data, optionsOf(job));
    },
    unfinished: () => queue.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active'),
    close: () => queue.close(),
  };
}

/** `process` wraps the shared handler where a system has to act inside of it. */
export async function openBullMqWorker(
  { port, queue: name }: Place,
  options: WorkerOptions,
  { backend }: BullMqOptions = {},
  process: Processor<BenchData> = async (job) => options.handle(asBenchJob(job)),
): Promise<BenchWorker> {
  const settings = {
    connection: { host: '127.0.0.1', port },
    prefix: PREFIX,
    concurrency: options.concurrency,
    autorun: false,
  };
  const worker =
    backend === undefined
      ? new Worker(name, process, settings)
      : new Worker(name, process, settings, backend);
  worker.on('completed', (job) => options.completed(asBenchJob(job)));
  worker.on('error', abortRun);
  worker.on('failed', (_job, error) => abortRun(error));
  await worker.waitUntilReady();
  return {
    run() {
      // `run` ends when the worker is closed; its failures come as `error` events.
      void worker.run();
    },
    close: () => worker.close(true),
  };
}

export function asBenchJob(job: Job<BenchData>): BenchJob {
  return { id: job.id!, account: job.data.accountId, data: job.data };
}
