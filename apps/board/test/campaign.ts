import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { createEffectRunner, createRedisLedger } from '@fairlane/ledger';
import { createConsumer, createOperations, createProducer, openQueues } from '@fairlane/queue';
import { implement, type Handler, type PayloadInput } from '@fairlane/sdk';
import { PATIENCE_MS } from '@fairlane/testkit/vitest';
import { expect, vi } from 'vitest';
import { replayJob } from '../src/queues/replay-job.js';

export type OutreachPayload = PayloadInput<typeof outreachSend>;

export function outreachPayload(lead: number, fields: Partial<OutreachPayload> = {}): OutreachPayload {
  return {
    accountId: `account-${lead % 5}`,
    leadId: `lead-${lead}`,
    step: 1,
    campaignRev: 1,
    campaign: 'spring',
    channel: 'email',
    to: `person${lead}@example.com`,
    body: `Hello number ${lead}`,
    ...fields,
  };
}

export interface Campaign extends AsyncDisposable {
  queues: ReturnType<typeof openQueues>;
  /** Ids in the order of the payloads. */
  enqueue(...payloads: OutreachPayload[]): Promise<string[]>;
  /** Runs what is queued until nothing waits or runs. */
  work(handler: Handler<typeof outreachSend.payload>): Promise<void>;
  replay(queueName: string, jobId: string): Promise<void>;
  /** Removes a dead job. */
  purge(jobId: string): Promise<void>;
}

/** Producer and consumer of real jobs under a prefix of their own. */
export function openCampaign(redis: string, prefix: string): Campaign {
  // A busy machine makes no call fail.
  const connection = { redis, prefix, catalogue, timeoutMs: PATIENCE_MS };
  const producer = createProducer({ ...connection, maxPayloadBytes: 4 * 1024 * 1024 });
  const ledger = createRedisLedger({ redis, prefix });
  const operations = createOperations({ ...connection, effects: ledger });
  const queues = openQueues({ redis, prefix, catalogue });
  const queueNamed = (name: string) => queues.find((queue) => queue.name === name);
  return {
    queues,
    async enqueue(...payloads) {
      const ids: string[] = [];
      for await (const result of producer.enqueueMany(outreachSend, payloads)) {
        if (result.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
        ids.push(result.id);
      }
      return ids;
    },
    async work(handler) {
      const implementations = [implement(outreachSend, handler)];
      const slots = { outreach: { slots: 10 } };
      const consumer = createConsumer({
        redis,
        prefix,
        catalogue,
        implementations,
        effects: createEffectRunner({ ledger }),
        queues: slots,
        graceMs: 5_000,
      });
      await consumer.start();
      try {
        // Not expect.poll, which only a test may call: files prepare once for all of theirs.
        await vi.waitFor(
          async () => {
            const left = await queueNamed('outreach')?.getJobCountByTypes('waiting', 'prioritized', 'active');
            expect(left).toBe(0);
          },
          { timeout: 30_000, interval: 20 },
        );
      } finally {
        await consumer.drain();
      }
    },
    replay: (_queue, id) => replayJob(operations, id),
    async purge(id) {
      await operations.purge(id);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((queue) => queue.close()));
      await producer.close();
      await operations.close();
      await ledger.close();
    },
  };
}
