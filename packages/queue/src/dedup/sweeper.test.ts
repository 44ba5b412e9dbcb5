import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { BUCKET_COUNT, bucketAt, dedupKey } from './dedup-key.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { DedupSweeper, type SweeperOptions } from './sweeper.js';

const redis = useRedis();
const world = new World(redis);

function sweeper(options: Partial<SweeperOptions> = {}): DedupSweeper {
  return new DedupSweeper({
    memory: world.memory(),
    prefix: redis.prefix,
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

describe('R14 trimming', () => {
  it('keeps the newest completed jobs by count and every dead letter, and remembers the keys of the rest', async () => {
    const { producer, ids } = await ended(10);
    const completed = `${redis.prefix}:parcels:completed`;
    const newest = await redis.client.zrange(completed, '-4', '-1');
    await world.consumer(async () => undefined, { keepFinished: { ageMs: 60_000, count: 4 } });
    await until('six are trimmed', async () => (await producer.queueCounts('parcels')).completed === 4);
    expect(await producer.queueCounts('parcels')).toMatchObject({ completed: 4, dead: 1 });
    expect(await redis.client.zrange(completed, '0', '-1')).toEqual(newest);
    for (const [at, id] of ids.entries()) {
      const again = await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` });
      expect(again).toMatchObject({ outcome: 'duplicate', state: 'completed' });
      expect((await producer.job(id)) === undefined).toBe(!newest.includes(id));
    }
  });
});

describe('R14 the sweep of the dedup memory', () => {
  it('drops entries beyond retention and leaves live ones, young ones and kept dead letters', async () => {
    const { producer, ids, dead } = await ended(3);
    const live = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'live' }));
    await world.trim('completed');
    expect(await sweeper().sweep(BUCKET_COUNT)).toBe(0);
    expect(await sweeper({ retentionMs: 0 }).sweep(BUCKET_COUNT)).toBe(3);
    const left = await Promise.all([...ids, live, dead].map(isRemembered));
    expect(left).toEqual([false, false, false, true, true]);

    await world.operations().purge(dead);
    expect(await sweeper({ retentionMs: 0 }).sweep(BUCKET_COUNT)).toBe(1);
    expect(await isRemembered(dead)).toBe(false);
  });

  it('gives an end to an entry whose job vanished without a word, and drops it a retention later', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'p-1' }));
    await world.queue().queue.obliterate({ force: true });
    const keeper = sweeper({ retentionMs: 0 });
    expect(await keeper.sweep(BUCKET_COUNT)).toBe(0);
    expect(await isRemembered(id)).toBe(true);
    expect(await keeper.sweep(BUCKET_COUNT)).toBe(1);
    expect(await isRemembered(id)).toBe(false);
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
