import { createBlobs, createFileStore } from '@fairlane/blobs';
import { Steps } from '@fairlane/testkit/steps';
import { Redis } from 'ioredis';
import { DedupMemory } from '../../src/dedup/dedup-memory.js';
import type { FairlaneBackend } from '../../src/backend/fairlane-backend.js';
import { createOperations, createProducer, openQueues } from '../../src/index.js';
import { BlobSweeper } from '../../src/payloads/blob-sweeper.js';
import { LARGE, type PayloadCrash } from './payload-crash.js';
import { silentLogger } from './silent-logger.js';
import { textCatalogue as catalogue, textJob } from './text-job.js';

/**
 * A process that submits a job with a large payload, or purges one and sweeps, and is killed after its n-th step to the
 * outside: every command to Redis and every operation on files.
 */
const input = JSON.parse(process.argv[2] ?? '{}') as PayloadCrash;
const { redisUrl: redis, prefix, directory, killAfter } = input;
const steps = new Steps(killAfter);

const logger = silentLogger;
const blobs = createBlobs({ store: createFileStore(directory), redis, prefix });
const producer = createProducer({ redis, prefix, catalogue, blobs, logger });
const operations = createOperations({ redis, prefix, catalogue, blobs, logger });
const [queue] = openQueues({ redis, prefix, catalogue, logger });
if (queue === undefined) throw new Error('no queue is declared');
const { client } = queue.getBackend() as unknown as FairlaneBackend;
const memory = new DedupMemory(() => client, prefix);
await Promise.all([client, blobs.check(), connected(producer), connected(operations)]);
await steps.countFiles();
steps.count(Redis.prototype, 'sendCommand');
steps.begin();

if (input.action === 'submit') {
  await producer.enqueue(textJob, LARGE);
} else {
  await operations.purge(input.id);
  await new BlobSweeper({ blobs, memory, logger }).sweep();
}
steps.end();

/** A producer fails at once while it is not connected. */
async function connected(calls: { job(id: string): Promise<unknown> }): Promise<void> {
  const endMs = Date.now() + 10_000;
  for (;;) {
    try {
      await calls.job('AAAAAAAAAAAAAAAAAAAAAA');
      return;
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
  }
}
