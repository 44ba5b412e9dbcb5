import { Steps } from '@fairlane/testkit/steps';
import { Redis } from 'ioredis';
import type { BlobStore } from '../../src/blob-store.js';
import { createBlobs } from '../../src/blobs.js';
import { createFileStore } from '../../src/stores/file-store.js';
import { jobKey, OWNER, PAYLOAD, stillNeeded, type CrashInput } from './crash-scenario.js';

/**
 * A process that stores or removes a job with a large payload and is killed after its n-th step to the outside:
 * every command to Redis and every operation on files or the bucket.
 */
const input = JSON.parse(process.argv[2] ?? '{}') as CrashInput;
const steps = new Steps(input.killAfter);

const redis = new Redis(input.redisUrl);
const blobs = createBlobs({ store: await openStore(), redis: input.redisUrl, prefix: input.prefix });
await Promise.all([redis.ping(), blobs.check()]);
await steps.countFiles();
steps.count(Redis.prototype, 'sendCommand');
steps.begin();

if (input.action === 'submit') {
  const request = { owner: OWNER, holdMs: input.holdMs, maxBytes: PAYLOAD.byteLength };
  const { source } = await blobs.put(PAYLOAD, request);
  await redis.set(jobKey(input), source);
} else {
  const source = (await redis.getdel(jobKey(input))) ?? '';
  await blobs.release(source, OWNER);
  await blobs.sweep({ stillNeeded: stillNeeded(redis, input) });
}
steps.end();

async function openStore(): Promise<BlobStore> {
  const { directory, s3, prefix } = input;
  if (s3 === undefined) return createFileStore(directory);
  // Loaded where it is used: it takes longer than the rest of the process.
  const { connectTo } = await import('./s3-client.js');
  const { createS3Store } = await import('../../src/stores/s3-store.js');
  const client = connectTo(s3.url);
  steps.count(client, 'send');
  return createS3Store({ client, bucket: s3.bucket, prefix });
}
