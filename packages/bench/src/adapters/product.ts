import { createEffectRunner, createPostgresLedger, createRedisLedger } from '@fairlane/ledger';
import { createConsumer, createProducer, plainEffects, type EffectRunner } from '@fairlane/queue';
import {
  createCatalogue,
  defineJob,
  defineLimitGroups,
  defineQueues,
  implement,
  type Catalogue,
  type JobContract,
} from '@fairlane/sdk';
import { z } from 'zod';

import { JOB_NAME, type BenchData, type BenchJob } from '../workload.js';
import { abortRun, type Adapter, type Place } from './adapter.js';
import { PREFIX } from './bullmq-queue.js';

const DAY_MS = 86_400_000;

/**
 * The product's producer and consumer, with a handler that performs one effect. What the effect does
 * outside costs nothing here, so that what remains is the record kept of it.
 */
export function product(effectsAt: (place: Place) => EffectRunner): Adapter {
  return {
    async openQueue(place) {
      const { catalogue, contract } = contractFor(place);
      const redis = `redis://127.0.0.1:${place.port}`;
      const producer = createProducer({ redis, catalogue, prefix: PREFIX, timeoutMs: 60_000 });
      return {
        async load(jobs) {
          for await (const { outcome } of producer.enqueueMany(contract, payloadsOf(jobs))) {
            if (outcome !== 'accepted') throw new Error(`expected every job to be accepted, got ${outcome}`);
          }
        },
        async add(job) {
          await producer.enqueue(
            contract,
            job.data,
            job.delayMs === undefined ? {} : { delayMs: job.delayMs },
          );
        },
        async unfinished() {
          const counts = await producer.queueCounts(place.queue);
          return counts.scheduled + counts.ready + counts.held + counts.active + counts.retrying;
        },
        close: () => producer.close(),
      };
    },

    async openWorker(place, options) {
      const { catalogue, contract } = contractFor(place);
      const consumer = createConsumer({
        redis: `redis://127.0.0.1:${place.port}`,
        catalogue,
        prefix: PREFIX,
        queues: { [place.queue]: { slots: options.concurrency } },
        effects: effectsAt(place),
        implementations: [
          implement(contract, async (data, context) => {
            const job = { id: context.job.id, account: data.accountId, data };
            await options.handle(job);
            await context.effect('send', {
              perform: async () => ({ id: 'sent' }),
              repeatable: { keyTtlMs: DAY_MS },
            });
            options.completed(job);
          }),
        ],
        hooks: {
          onFailedAttempt: ({ code }) => abortRun(new Error(`an attempt failed with ${code}`)),
        },
      });
      return {
        run() {
          void consumer.start();
        },
        close: () => consumer.drain(5_000),
      };
    },
  };
}

export const productWithoutLedger = product(() => plainEffects);

export const productOnRedis = product(({ port }) =>
  createEffectRunner({
    ledger: createRedisLedger({ redis: `redis://127.0.0.1:${port}`, prefix: PREFIX }),
  }),
);

export const productOnPostgres = product(({ databaseUrl }) => {
  if (databaseUrl === undefined) throw new Error('expected the URL of a database for the ledger');
  return createEffectRunner({ ledger: createPostgresLedger({ databaseUrl }) });
});

function* payloadsOf(jobs: Iterable<BenchJob>): Generator<BenchData> {
  for (const { data } of jobs) yield data;
}

interface MeasuredContract {
  readonly catalogue: Catalogue;
  readonly contract: JobContract<string, z.ZodType<BenchData>>;
}

function contractFor({ queue }: Place): MeasuredContract {
  const contract = defineJob({
    name: JOB_NAME,
    payload: z.object({
      accountId: z.string(),
      leadId: z.string(),
      step: z.number(),
      campaignRev: z.number(),
      channel: z.string(),
      to: z.string(),
      body: z.string(),
    }),
    account: (p) => p.accountId,
    key: (p) => [p.leadId, p.step, p.campaignRev],
    limitGroup: 'email',
    queue,
  });
  const catalogue = createCatalogue({
    jobs: [contract],
    queues: defineQueues({ [queue]: { slots: 10 } }),
    limitGroups: defineLimitGroups({ email: {} }),
  });
  return { catalogue, contract };
}
