import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Redis } from 'ioredis';
import type { BlobStore } from '../blob-store.js';
import { createBlobs } from '../blobs.js';
import { createFileStore } from '../stores/file-store.js';
import { jobKey, OWNER, PAYLOAD, stillNeeded, type CrashInput } from './crash-scenario.js';

/**
 * A process that stores or removes a job with a large payload and is killed after its n-th step to the outside:
 * every command to Redis and every operation on files or the bucket is a step, so none can be forgotten.
 */
const input = JSON.parse(process.argv[2] ?? '{}') as CrashInput;
let taken = 0;
let armed = false;

const redis = new Redis(input.redisUrl);
const blobs = createBlobs({ store: await openStore(), redis: input.redisUrl, prefix: input.prefix });
await Promise.all([redis.ping(), blobs.check()]);
await countSteps();
armed = true;

if (input.action === 'submit') {
  const request = { owner: OWNER, holdMs: input.holdMs, maxBytes: PAYLOAD.byteLength };
  const { source } = await blobs.put(PAYLOAD, request);
  await redis.set(jobKey(input), source);
} else {
  const source = (await redis.getdel(jobKey(input))) ?? '';
  await blobs.release(source, OWNER);
  await blobs.sweep({ stillNeeded: stillNeeded(redis, input) });
}
process.stdout.write(`${taken}\n`);
process.exit(0);

async function openStore(): Promise<BlobStore> {
  const { directory, s3, prefix } = input;
  if (s3 === undefined) return createFileStore(directory);
  // Loaded where it is used: it takes longer than the rest of the process.
  const { connectTo } = await import('./s3-server.js');
  const { createS3Store } = await import('../stores/s3-store.js');
  const client = connectTo(s3.url);
  count(client, 'send');
  return createS3Store({ client, bucket: s3.bucket, prefix });
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
  const operations = target as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const operation = operations[name];
    operations[name] = function (...args) {
      const result = operation?.apply(this, args);
      if (!(result instanceof Promise)) return result;
      return result.finally(() => {
        taken += armed ? 1 : 0;
        if (taken === input.killAfter) process.kill(process.pid, 'SIGKILL');
      });
    };
  }
}
