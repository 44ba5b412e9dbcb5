import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createBlobs, createFileStore } from '@fairlane/blobs';
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
 * outside: every command to Redis and every operation on files is a step, so none can be forgotten.
 */
const input = JSON.parse(process.argv[2] ?? '{}') as PayloadCrash;
const { redisUrl: redis, prefix, directory, killAfter } = input;
let taken = 0;
let isArmed = false;

const logger = silentLogger;
const blobs = createBlobs({ store: createFileStore(directory), redis, prefix });
const producer = createProducer({ redis, prefix, catalogue, blobs, logger });
const operations = createOperations({ redis, prefix, catalogue, blobs, logger });
const [queue] = openQueues({ redis, prefix, catalogue, logger });
if (queue === undefined) throw new Error('no queue is declared');
const { client } = queue.getBackend() as unknown as FairlaneBackend;
const memory = new DedupMemory(() => client, prefix);
await Promise.all([client, blobs.check(), connected(producer), connected(operations)]);
await countSteps();
isArmed = true;

if (input.action === 'submit') {
  await producer.enqueue(textJob, LARGE);
} else {
  await operations.purge(input.id);
  await new BlobSweeper({ blobs, memory, logger }).sweep();
}
process.stdout.write(`${taken}\n`);
process.exit(0);

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

async function countSteps(): Promise<void> {
  const file = await fs.open(process.execPath, 'r');
  count(Object.getPrototypeOf(file), 'sync', 'writeFile');
  await file.close();
  count(fs, 'mkdir', 'open', 'rename', 'unlink');
  syncBuiltinESMExports();
  count(Redis.prototype, 'sendCommand');
}

/** Lets operations count as steps; the kill comes when one is done and before anything learns of it. */
function count(target: unknown, ...names: string[]): void {
  const steps = target as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const step = steps[name];
    steps[name] = function (...args) {
      const result = step?.apply(this, args);
      if (!(result instanceof Promise)) return result;
      return result.finally(() => {
        taken += isArmed ? 1 : 0;
        if (taken === killAfter) process.kill(process.pid, 'SIGKILL');
      });
    };
  }
}
