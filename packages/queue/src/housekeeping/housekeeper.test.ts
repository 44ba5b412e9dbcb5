import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { BUCKET_COUNT, bucketAt, dedupKey } from '../dedup/dedup-key.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { Housekeeper, type HousekeeperOptions } from './housekeeper.js';

const redis = useRedis();
const world = new World(redis);

function housekeeper(options: Partial<HousekeeperOptions> = {}): Housekeeper {
  return new Housekeeper({
    backend: world.queue().backend,
    prefix: redis.prefix,
    queues: ['parcels'],
    keepCompleted: { ageMs: 60_000, count: 1_000 },
    retentionMs: 60_000,
    logger: world.logger,
    ...options,
  });
}

async function isRemembered(id: string): Promise<boolean> {
  const { bucketKey, field } = dedupKey(redis.prefix, id);
  return (await redis.client.hexists(bucketKey, field)) === 1;
}

/** Completed jobs, and a dead one. */
async function ended(completedCount: number) {
  const producer = world.producer();
  const ids: string[] = [];
  for (let at = 0; at < completedCount; at += 1) {
    ids.push(idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` })));
  }
  const dead = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'dead' }));
  const consumer = await world.consumer(async ({ parcel }) => {
    if (parcel === 'dead') throw new PermanentError();
  });
  await until('all jobs ended', async () => {
    const counts = await producer.queueCounts('parcels');
    return counts.completed === completedCount && counts.dead === 1;
  });
  await consumer.close();
  return { producer, ids, dead };
}

describe('R14 trimming of completed jobs', () => {
  it('keeps the newest by count, with their hashes, and every dead letter', async () => {
    const { producer } = await ended(10);
    const keeper = housekeeper({ keepCompleted: { ageMs: 60_000, count: 4 } });
    const completed = `${redis.prefix}:parcels:completed`;
    const newest = await redis.client.zrange(completed, '-4', '-1');
    expect(await keeper.trim('parcels')).toBe(6);
    expect(await producer.queueCounts('parcels')).toMatchObject({ completed: 4, dead: 1 });
    const hashes = await redis.client.keys(`${redis.prefix}:parcels:??????????????????????`);
    expect(hashes).toHaveLength(5);
    expect(await redis.client.zrange(completed, '0', '-1')).toEqual(newest);
    expect(await keeper.trim('parcels')).toBe(0);
  });

  it('removes what is older than the age', async () => {
    const { producer, ids } = await ended(5);
    await redis.client.zadd(`${redis.prefix}:parcels:completed`, Date.now() - 120_000, ids[0] ?? '');
    expect(await housekeeper().trim('parcels')).toBe(1);
    expect(await producer.job(ids[0] ?? '')).toBeUndefined();
    expect(await producer.job(ids[1] ?? '')).toMatchObject({ state: 'completed' });
  });

  it('works through a backlog of several batches', async () => {
    const pipeline = redis.client.pipeline();
    for (let at = 0; at < 1_300; at += 1) pipeline.zadd(`${redis.prefix}:parcels:completed`, at, `job-${at}`);
    await pipeline.exec();
    expect(await housekeeper().trim('parcels')).toBe(1_300);
  });
});

describe('R14 the sweep of the dedup memory', () => {
  it('drops entries beyond retention and leaves live ones, young ones and kept dead letters', async () => {
    const { producer, ids, dead } = await ended(3);
    const live = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'live' }));
    expect(await housekeeper().sweep(BUCKET_COUNT)).toBe(0);
    expect(await housekeeper({ retentionMs: 0 }).sweep(BUCKET_COUNT)).toBe(3);
    const left = await Promise.all([...ids, live, dead].map(isRemembered));
    expect(left).toEqual([false, false, false, true, true]);

    await world.queue().backend.removeRun(dead, { endState: 'purged' });
    expect(await housekeeper({ retentionMs: 0 }).sweep(BUCKET_COUNT)).toBe(1);
    expect(await isRemembered(dead)).toBe(false);
  });

  it('reaches every id: buckets are numbered without a gap', () => {
    const byNumber = Array.from({ length: BUCKET_COUNT }, (_value, index) => bucketAt('p', index));
    expect(new Set(byNumber.map(({ bucketKey }) => bucketKey)).size).toBe(BUCKET_COUNT);
    const prefixes = new Map(byNumber.map(({ bucketKey, idPrefix }) => [bucketKey, idPrefix]));
    for (const id of ['AAAAAAAAAAAAAAAAAAAAAA', '__________________zzzw', '-9xQzzzzzzzzzzzzzzzzzg']) {
      const { bucketKey, field } = dedupKey('p', id);
      expect(`${prefixes.get(bucketKey)}${field}`).toBe(id);
    }
  });
});
