import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { idOf, World } from '../../test/support/world.js';
import { until } from '../../test/support/until.js';
import { startLostWorker } from '../../test/support/lost-worker.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

async function deadJob() {
  const producer = world.producer();
  const id = idOf(await producer.enqueue(world.job, payload));
  const consumer = await world.consumer(async () => {
    throw new PermanentError();
  });
  await world.untilState(producer, id, 'dead');
  await consumer.close();
  return { producer, id };
}

describe('A05 a key is free once its job is gone', () => {
  it('after the worker was killed in the middle and the job was removed when its lock had ended', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id });
    const { queue } = world.queue();

    expect(await queue.remove(id)).toBe(0);
    expect(await producer.enqueue(world.job, payload)).toMatchObject({
      outcome: 'duplicate',
      state: 'active',
    });
    await redis.client.del(`${redis.prefix}:parcels:${id}:lock`);
    expect(await queue.remove(id)).toBe(1);
    expect(await producer.enqueue(world.job, payload)).toMatchObject({ outcome: 'accepted' });
  });

  it('after the hash of a running job was deleted by hand, and the new job runs once', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id });
    await redis.client.del(`${redis.prefix}:parcels:${id}`);

    expect(await producer.enqueue(world.job, payload)).toMatchObject({ outcome: 'accepted' });
    let runs = 0;
    await world.consumer(async () => void (runs += 1), { leaseMs: 1_000 });
    await world.untilState(producer, id, 'completed');
    expect(await redis.client.llen(`${redis.prefix}:parcels:active`)).toBe(0);
    expect(await redis.client.llen(`${redis.prefix}:parcels:wait`)).toBe(0);
    expect(runs).toBe(1);
  });

  it.each(['drain', 'obliterate', 'clean'] as const)("after BullMQ's own %s", async (way) => {
    const { producer } = await deadJob();
    const waiting = { accountId: 'acme', parcel: 'p-2' };
    await producer.enqueue(world.job, waiting);
    const { queue } = world.queue();
    if (way === 'drain') await queue.drain();
    if (way === 'obliterate') await queue.obliterate({ force: true });
    if (way === 'clean') await queue.clean(0, 10, 'failed');
    const freed = way === 'clean' ? payload : waiting;
    expect(await producer.enqueue(world.job, freed)).toMatchObject({ outcome: 'accepted' });
  });

  it('but a completed job removed from the queue keeps its key for the retention', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async () => undefined);
    await world.untilState(producer, id, 'completed');
    const { queue } = world.queue();
    await (await queue.getJob(id))?.remove();
    expect(await producer.enqueue(world.job, payload)).toMatchObject({
      outcome: 'duplicate',
      state: 'completed',
    });
  });
});

describe('A06 late clean-ups of a job leave the next one of its key alone', () => {
  it('refuses to remove another run than the one that was looked at', async () => {
    const { producer, id } = await deadJob();
    const { backend } = world.queue();
    const diedAtMs = Date.parse((await producer.job(id))?.finishedAt ?? '');
    expect(await backend.removeDead(id, diedAtMs)).toBe(true);
    expect(await producer.enqueue(world.job, payload, { delayMs: 60_000 })).toMatchObject({
      outcome: 'accepted',
    });

    expect(await backend.removeDead(id, diedAtMs)).toBe(false);
    await expect(backend.moveToDelayed(id, Date.now(), 0, 'a stale token')).rejects.toThrow('Missing lock');
    await expect(backend.moveJobFromActiveToWait(id, 'a stale token')).rejects.toThrow('Missing lock');
    expect(await producer.enqueue(world.job, payload)).toMatchObject({
      outcome: 'duplicate',
      id,
      state: 'scheduled',
    });
  });

  it('a worker whose job was purged under it cannot finish the next one', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let finish: (() => void) | undefined;
    const consumer = await world.consumer(() => new Promise((resolve) => (finish = () => resolve('late'))));
    await until('the handler runs', () => finish !== undefined);
    await redis.client.del(`${redis.prefix}:parcels:${id}`, `${redis.prefix}:parcels:${id}:lock`);
    await producer.enqueue(world.job, payload, { delayMs: 60_000 });

    finish?.();
    await until('the finish is refused', () =>
      world.lines.some(({ fields }) => /lock|Missing|not found/i.test(String(fields['error']))),
    );
    await consumer.close();
    expect(await producer.job(id)).toMatchObject({ state: 'scheduled' });
    expect(await producer.enqueue(world.job, payload)).toMatchObject({ outcome: 'duplicate' });
  });
});

describe('a replay', () => {
  it('is a new run of the same job with fresh attempts, and holds the key', async () => {
    const { producer, id } = await deadJob();
    const { queue } = world.queue();
    const hash = `${redis.prefix}:parcels:${id}`;
    await redis.client.hset(hash, { stc: 8, flDeferredSince: 1, hr: 'no_handler', flCancel: 1 });
    await (await queue.getJob(id))?.retry('failed');
    expect(await producer.enqueue(world.job, payload)).toMatchObject({
      outcome: 'duplicate',
      state: 'ready',
    });
    const attempts: number[] = [];
    await world.consumer(async (_payload, { attempt }) => void attempts.push(attempt));
    const view = await world.untilState(producer, id, 'completed');
    expect(attempts).toEqual([1]);
    expect(view).toMatchObject({ attempts: { made: 1, max: 8 }, stalls: 0 });
    expect(await redis.client.hget(hash, 'flDeferredSince')).toBeNull();
  });
});
