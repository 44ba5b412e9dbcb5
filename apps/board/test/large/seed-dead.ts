import { outreachSend, catalogue } from '@fairlane/jobs/contracts';
import { createConsumer, createProducer, type Producer } from '@fairlane/queue';
import { createLogger } from '@fairlane/runtime';
import { implement, PermanentError } from '@fairlane/sdk';
import { expect, vi } from 'vitest';
import { outreachPayload } from '../campaign.js';

/** Handed in at once: below what a queue takes of waiting jobs, and enough to keep the slots busy. */
const CHUNK = 10_000;

/** What the outside answers, by the job's number; one in a hundred gets an answer that is rare. */
export const RARE_CODE = 'unauthorized';

function codeOf(lead: number): 'rejected' | 'target_gone' | 'unauthorized' {
  if (lead % 100 === 0) return RARE_CODE;
  return lead % 3 === 0 ? 'rejected' : 'target_gone';
}

export interface SeedOptions {
  redis: string;
  prefix: string;
  jobs: number;
  accounts: number;
}

/**
 * Dead jobs made as the product makes them: handed in by a producer in batches, taken from their lanes by a consumer and
 * ended by its handler's permanent error. Each has the indexes, counters and dedup memory that a real one has.
 *
 * @returns how many died a second
 */
export async function seedDead({ redis, prefix, jobs, accounts }: SeedOptions): Promise<number> {
  const logger = createLogger({ app: 'seed', level: 'silent' });
  const connection = { redis, prefix, catalogue, logger };
  const producer = createProducer({ ...connection, timeoutMs: 15_000 });
  const consumer = createConsumer({
    ...connection,
    implementations: [
      implement(outreachSend, async ({ leadId }) => {
        const code = codeOf(Number(leadId.slice('lead-'.length)));
        throw new PermanentError({ code, reason: `the outside said ${code} to ${leadId}` });
      }),
    ],
    queues: { outreach: { slots: 50 } },
    graceMs: 5_000,
  });
  await consumer.start();
  const startedAt = performance.now();
  try {
    for (let from = 0; from < jobs; from += CHUNK) {
      await handIn(producer, from, Math.min(from + CHUNK, jobs), accounts);
      const until = Math.min(from + CHUNK, jobs);
      await vi.waitFor(async () => expect((await producer.queueCounts('outreach')).dead).toBe(until), {
        timeout: 15 * 60_000,
        interval: 50,
      });
    }
  } finally {
    await consumer.drain();
    await producer.close();
  }
  return Math.round((1_000 * jobs) / (performance.now() - startedAt));
}

async function handIn(producer: Producer, from: number, until: number, accounts: number): Promise<void> {
  const payloads = Array.from({ length: until - from }, (_value, at) => {
    const lead = from + at;
    return outreachPayload(lead, { accountId: `account-${lead % accounts}` });
  });
  for await (const { outcome } of producer.enqueueMany(outreachSend, payloads))
    if (outcome !== 'accepted') throw new Error(`a job was ${outcome}`);
}
