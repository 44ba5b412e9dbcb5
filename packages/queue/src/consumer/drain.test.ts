import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { ThrottledError } from '@fairlane/sdk';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

describe('drain', () => {
  it('lets a running job finish and takes no other', async () => {
    const producer = world.producer();
    const first = idOf(await producer.enqueue(world.job, payload));
    let finish: (() => void) | undefined;
    const consumer = await world.consumer(() => new Promise<void>((resolve) => (finish = resolve)), {
      queues: { parcels: { slots: 1 } },
    });
    await until('the first job runs', () => finish !== undefined);
    const second = idOf(await producer.enqueue(world.job, { ...payload, parcel: 'p-2' }));
    const drained = consumer.drain(5_000);
    expect(consumer.health().status).toBe('draining');
    finish?.();
    await drained;
    expect(consumer.health().status).toBe('closed');
    expect(await producer.job(first)).toMatchObject({ state: 'completed' });
    expect(await producer.job(second)).toMatchObject({ state: 'ready' });
  });

  it('aborts what is not done within the grace and gives it back without an attempt', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let reason: unknown;
    const consumer = await world.consumer(async (_payload, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
      throw signal.reason;
    });
    await world.untilState(producer, id, 'active');
    await consumer.drain(50);
    expect((reason as Error).message).toContain('shutting down');
    expect(await producer.job(id)).toMatchObject({ state: 'ready', attempts: { made: 0 }, stalls: 0 });
    expect(await redis.client.exists(`${redis.prefix}:parcels:${id}:lock`)).toBe(0);
  });

  it('gives back a job whose handler does not listen, within a bounded time', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const consumer = await world.consumer(() => new Promise(() => undefined));
    await world.untilState(producer, id, 'active');
    const watch = startStopwatch(redis.server.pid);
    await consumer.drain(50);
    expect(watch.ownMs()).toBeLessThan(4_000);
    expect(await producer.job(id)).toMatchObject({ state: 'ready', attempts: { made: 0 } });
  });

  it('A26 ends at once with 500 throttled jobs, none active and all still there', async () => {
    const producer = world.producer();
    const parcels = Array.from({ length: 500 }, (_value, at) => ({ ...payload, parcel: String(at) }));
    for await (const { outcome } of producer.enqueueMany(world.job, parcels))
      expect(outcome).toBe('accepted');
    const consumer = await world.consumer(async () => {
      throw new ThrottledError({ retryAfterMs: 3_600_000 });
    });
    await until('all are put off', async () => (await producer.queueCounts('parcels')).held === 500);
    const watch = startStopwatch(redis.server.pid);
    await consumer.drain(30_000);
    expect(watch.ownMs()).toBeLessThan(2_000);
    expect(await producer.queueCounts('parcels')).toEqual({
      scheduled: 0,
      ready: 0,
      held: 500,
      active: 0,
      retrying: 0,
      completed: 0,
      dead: 0,
      cancelled: 0,
    });
  });
});
