import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { startLostWorker } from '../../test/support/lost-worker.js';
import { defineParcelJob } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { Lease } from './lease.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

describe('a lease', () => {
  it('is held until its deadline and lost by itself after it', async () => {
    const lease = new Lease(performance.now() + 30);
    expect(lease.isHeld).toBe(true);
    lease.extend(performance.now() + 60);
    await new Promise<void>((resolve) => lease.whenLost(resolve));
    expect(lease.isHeld).toBe(false);
  });

  it('A03 is not held the moment its deadline has passed, even while the event loop is blocked', () => {
    const lease = new Lease(performance.now() + 5);
    const end = performance.now() + 10;
    while (performance.now() < end);
    expect(lease.isHeld).toBe(false);
    lease.release();
  });

  it('is renewed while a job runs longer than its lease', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let runs = 0;
    await world.consumer(
      async (_payload, { signal }) => {
        runs += 1;
        const startedAt = performance.now();
        await until('two leases are over', () => signal.aborted || performance.now() - startedAt > 3_100);
        return { aborted: signal.aborted };
      },
      // Not shorter: what a busy machine withholds at a time must not be a lease.
      { leaseMs: 1_500 },
    );
    expect(await world.untilState(producer, id, 'completed')).toMatchObject({
      result: { aborted: false },
      stalls: 0,
    });
    expect(runs).toBe(1);
  });

  it('A03 lost to another worker: the handler is aborted, may perform no effect, and cannot finish the job', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const performed: string[] = [];
    const seen: string[] = [];
    let tookMs = Infinity;
    await world.consumer(
      async (_payload, { signal, effect }) => {
        if (seen.length > 0) {
          await effect('send', { perform: async () => performed.push('second') });
          return 'second';
        }
        seen.push('started');
        const watch = startStopwatch(redis.server.pid);
        await redis.client.set(`${redis.prefix}:parcels:${id}:lock`, 'somebody else', 'PX', 300);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        tookMs = watch.ownMs();
        const outcome = effect('send', { perform: async () => performed.push('first') });
        seen.push(await outcome.then(() => 'performed').catch((error: Error) => error.message));
        return 'first';
      },
      { leaseMs: 2_000 },
    );
    const view = await world.untilState(producer, id, 'completed');
    expect(view).toMatchObject({ result: 'second', stalls: 1 });
    // Noticed at the next renewal, not only when the lease would have ended.
    expect(tookMs).toBeLessThan(1_500);
    expect(performed).toEqual(['second']);
    expect(seen[1]).toContain('its lease is lost');
  });
});

describe('a lost worker', () => {
  it('has its job taken over after the lease, without an attempt spent', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id, leaseMs: 1_000 });
    const attempts: number[] = [];
    await world.consumer(async (_payload, { attempt }) => void attempts.push(attempt), { leaseMs: 1_000 });
    expect(await world.untilState(producer, id, 'completed')).toMatchObject({
      attempts: { made: 1 },
      stalls: 1,
    });
    expect(attempts).toEqual([1]);
  });

  it('A04 beyond the allowed number makes a dead letter with the payload, counted once', async () => {
    world.job = defineParcelJob();
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id, leaseMs: 1_000 });
    let runs = 0;
    await world.consumer(async () => void (runs += 1), { leaseMs: 1_000, maxStalls: 0 });
    const view = await world.untilState(producer, id, 'dead');
    expect(view).toMatchObject({
      lastError: { code: 'crashed', message: 'a worker was lost in the middle of the job 1 times' },
      attempts: { made: 1 },
      stalls: 1,
    });
    expect(runs).toBe(0);
    expect(await producer.queueCounts('parcels')).toMatchObject({ dead: 1, active: 0, ready: 0 });
    const { queue } = world.queue();
    expect((await queue.getJob(id))?.data).toEqual({ v: 1, p: payload });
    expect(await producer.enqueue(world.job, payload)).toMatchObject({ outcome: 'duplicate', state: 'dead' });
  });
});
