import { createBlobs, openBlobStore, type BlobStore } from '@fairlane/blobs';
import { startS3, type S3Server } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { text, textJob } from '../../test/support/text-job.js';
import { HOURS_MS, TextWorld } from '../../test/support/text-world.js';
import { idOf } from '../../test/support/world.js';
import { BlobSweeper } from './blob-sweeper.js';

const redis = useRedis();
const world = new TextWorld(redis);
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await s3.stop();
});

const openStore = () => openBlobStore(`s3://${s3.bucket}/queue`);

async function objects(store: BlobStore): Promise<number> {
  let count = 0;
  for await (const _object of store.list({ beforeMs: Infinity })) count += 1;
  return count;
}

describe('a blob store in S3', () => {
  it('A30 A38 keeps large payload and result as long as their job; then the sweep removes both', async () => {
    const store = await openStore();
    const blobs = world.openBlobs({ store });
    const producer = world.producer({ blobs });
    const payload = text(200_000);
    const id = idOf(await producer.enqueue(textJob, payload));
    expect(await redis.client.hstrlen(`${redis.prefix}:parcels:${id}`, 'data')).toBeLessThan(300);
    let got: unknown;
    const run = (given: unknown) => {
      got = given;
      return { text: 'y'.repeat(100_000) };
    };
    await world.consume(run, { blobs });
    const { result } = await world.untilState(producer, id, 'completed');
    expect(got).toEqual(payload);
    const { source } = result as { source: string };
    expect((await blobs.readAll(source, { maxBytes: 200_000 })).byteLength).toBe(100_011);

    const sweepIn = async (hours: number) => {
      const { url, prefix } = redis;
      const later = createBlobs({
        store: await openStore(),
        redis: url,
        prefix,
        nowMs: () => Date.now() + hours * HOURS_MS,
      });
      await new BlobSweeper({ blobs: later, memory: world.memory(), logger: world.logger }).sweep();
      await later.close();
    };
    await sweepIn(2);
    expect(await objects(store)).toBe(2);
    await world.trim('completed');
    await sweepIn(4);
    expect(await objects(store)).toBe(0);
  });
});
