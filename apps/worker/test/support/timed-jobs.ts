import { createProducer, type JobView, type Producer } from '@fairlane/queue';
import { createCatalogue, defineJob, defineLimitGroups, defineQueues } from '@fairlane/sdk';
import { z } from 'zod';

/** A job that takes as long as it says, however long that is, or blocks the event loop where that is on. */
export const timedJob = defineJob({
  name: 'timed.wait',
  payload: z.object({
    accountId: z.string(),
    nth: z.int(),
    ms: z.int(),
    how: z.enum(['wait', 'block']).default('wait'),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.nth],
  queue: 'timed',
  timeoutMs: 600_000,
});

export const timedCatalogue = createCatalogue({
  jobs: [timedJob],
  queues: defineQueues({ timed: { slots: 2 } }, { rules: [{ queue: 'timed' }] }),
  limitGroups: defineLimitGroups({}),
});

export interface TimedJobs {
  readonly producer: Producer;
  /** Enqueues that many jobs of one account; answers their ids. */
  enqueue(count: number, ms: number, how?: 'wait' | 'block'): Promise<string[]>;
  views(ids: readonly string[]): Promise<(JobView | undefined)[]>;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function openTimedJobs(redis: string, prefix: string): TimedJobs {
  const producer = createProducer({
    redis,
    prefix,
    catalogue: timedCatalogue,
    timeoutMs: 20_000,
    logger: silent,
  });
  let nth = 0;
  return {
    producer,
    async enqueue(count, ms, how = 'wait') {
      const ids: string[] = [];
      for (let at = 0; at < count; at += 1) {
        nth += 1;
        const result = await producer.enqueue(timedJob, { accountId: 'acme', nth, ms, how });
        if (result.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
        ids.push(result.id);
      }
      return ids;
    },
    views: async (ids) => Promise.all(ids.map(async (id) => producer.job(id))),
  };
}
