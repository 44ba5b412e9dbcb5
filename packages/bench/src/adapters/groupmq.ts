import { Queue, Worker, type AddOptions } from 'groupmq';
import { Redis } from 'ioredis';

import type { BenchData, BenchJob } from '../workload.js';
import { abortRun, inBatches, LOAD_BATCH_JOBS, type Adapter, type Place } from './adapter.js';

/**
 * groupmq runs one job of a group at a time and has no other limits. It drops finished jobs unless told to
 * keep them; here it keeps them like the others, so that all do the same work.
 */
const KEEP_JOBS = 1_000_000;

function openGroupMq({ port, queue: namespace }: Place): { queue: Queue<BenchData>; redis: Redis } {
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
  return { queue: new Queue<BenchData>({ redis, namespace, keepCompleted: KEEP_JOBS }), redis };
}

const optionsOf = (job: BenchJob): AddOptions<BenchData> => ({
  groupId: job.account,
  jobId: job.id,
  data: job.data,
  ...(job.delayMs === undefined ? {} : { delay: job.delayMs }),
});

const asBenchJob = (job: { id: string; groupId: string; data: BenchData }): BenchJob => ({
  id: job.id,
  account: job.groupId,
  data: job.data,
});

export const groupmq: Adapter = {
  async openQueue(place) {
    const { queue, redis } = openGroupMq(place);
    return {
      async load(jobs) {
        await inBatches(jobs, LOAD_BATCH_JOBS, (batch) =>
          Promise.all(batch.map((job) => queue.add(optionsOf(job)))),
        );
      },
      async add(job) {
        await queue.add(optionsOf(job));
      },
      async unfinished() {
        const { waiting, delayed, active } = await queue.getJobCounts();
        return (waiting ?? 0) + (delayed ?? 0) + (active ?? 0);
      },
      async close() {
        await queue.close();
        redis.disconnect();
      },
    };
  },

  async openWorker(place, options) {
    const { queue, redis } = openGroupMq(place);
    const worker = new Worker<BenchData>({
      queue,
      concurrency: options.concurrency,
      handler: async (job) => options.handle(asBenchJob(job)),
    });
    worker.on('completed', (job) => options.completed(asBenchJob(job)));
    worker.on('error', abortRun);
    worker.on('failed', (job) => abortRun(new Error(`job ${job.id} failed: ${job.failedReason}`)));
    await redis.ping();
    return {
      run() {
        void worker.run();
      },
      async close() {
        await worker.close(0);
        redis.disconnect();
      },
    };
  },
};
