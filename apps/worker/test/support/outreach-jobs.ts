import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { createProducer, type JobView, type Producer, type RedisSettings } from '@fairlane/queue';
import { PATIENCE_MS } from '@fairlane/testkit/vitest';

export interface OutreachJobs {
  producer: Producer;
  /** Enqueues that many jobs of three accounts; answers their ids. Bodies tell the stubborn worker what to do. */
  enqueue(count: number, body?: string): Promise<string[]>;
  statesOf(ids: readonly string[]): Promise<JobView['state'][]>;
  attemptsMade(ids: readonly string[]): Promise<number[]>;
  close(): Promise<void>;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function openOutreachJobs(redis: RedisSettings, prefix: string): OutreachJobs {
  const producer = createProducer({ redis, prefix, catalogue, timeoutMs: PATIENCE_MS, logger: silent });
  let leadCount = 0;

  function payload(body: string) {
    leadCount += 1;
    const accountId = `account-${leadCount % 3}`;
    return {
      accountId,
      leadId: `lead-${leadCount}`,
      step: 1,
      campaignRev: 1,
      channel: 'email' as const,
      to: 't',
      body,
    };
  }

  async function views(ids: readonly string[]): Promise<JobView[]> {
    const found = await Promise.all(ids.map((id) => producer.job(id)));
    return found.filter((view) => view !== undefined);
  }

  return {
    producer,
    async enqueue(count, body = 'hello') {
      const ids: string[] = [];
      for await (const result of producer.enqueueMany(
        outreachSend,
        Array.from({ length: count }, () => payload(body)),
      )) {
        if (result.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
        ids.push(result.id);
      }
      return ids;
    },
    statesOf: async (ids) => (await views(ids)).map(({ state }) => state),
    attemptsMade: async (ids) => (await views(ids)).map(({ attempts }) => attempts.made),
    close: () => producer.close(),
  };
}
