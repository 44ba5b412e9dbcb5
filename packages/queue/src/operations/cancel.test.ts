import { PermanentError, RetryableError, ThrottledError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { ConsumerHooks, Producer } from '../index.js';
import { startLostWorker } from '../../test/support/lost-worker.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1', note: 'spring' };

type Handler = Parameters<World['consumer']>[0];

async function runUntil(
  state: Parameters<World['untilState']>[2],
  handler: Handler,
): Promise<[Producer, string]> {
  const producer = world.producer();
  const id = idOf(await producer.enqueue(world.job, payload));
  const consumer = await world.consumer(handler);
  await world.untilState(producer, id, state);
  await consumer.close();
  return [producer, id];
}

const failWith =
  (error: Error): Handler =>
  async () => {
    throw error;
  };

/** Brings a job into a state that no handler runs in. */
const waiting = {
  async scheduled(): Promise<[Producer, string]> {
    const producer = world.producer();
    return [producer, idOf(await producer.enqueue(world.job, payload, { delayMs: 60_000 }))];
  },
  async ready(): Promise<[Producer, string]> {
    const producer = world.producer();
    return [producer, idOf(await producer.enqueue(world.job, payload))];
  },
  async 'ready, with a priority'(): Promise<[Producer, string]> {
    const producer = world.producer();
    return [producer, idOf(await producer.enqueue(world.job, payload, { priority: 7 }))];
  },
  async 'held, paused'(): Promise<[Producer, string]> {
    await world.operations().pause('acme', 'someone');
    return waiting.ready();
  },
  'held, throttled': async () => runUntil('held', failWith(new ThrottledError({ retryAfterMs: 60_000 }))),
  retrying: async () => runUntil('retrying', failWith(new RetryableError({ retryAfterMs: 60_000 }))),
};

describe('cancelling a job that waits', () => {
  it.each(Object.keys(waiting) as (keyof typeof waiting)[])('%s: ends its run at once', async (state) => {
    const [producer, id] = await waiting[state]();
    const operations = world.operations();
    expect(await operations.cancel(id)).toBe('cancelled');
    expect(await producer.job(id)).toMatchObject({
      state: 'cancelled',
      account: 'acme',
      tag: 'spring',
      finishedAt: expect.any(String),
    });
    const counts = await operations.queueCounts('parcels');
    const none = { scheduled: 0, ready: 0, held: 0, active: 0, retrying: 0, completed: 0, dead: 0 };
    expect(counts).toEqual({ ...none, cancelled: 1 });
    expect((await operations.account('acme')).counts).toEqual(counts);
    for (const filter of [{ account: 'acme' }, { tag: 'spring' }, { state: 'cancelled' as const }]) {
      expect((await operations.jobs(filter)).items).toMatchObject([{ id, state: 'cancelled' }]);
    }
    expect(await operations.cancel(id)).toBe('already_finished');
  });

  it('keeps it from running, and leaves its neighbours', async () => {
    const [producer, id] = await waiting.ready();
    const next = idOf(await producer.enqueue(world.job, { ...payload, parcel: 'p-2' }));
    await world.operations().cancel(id);
    const ran: unknown[] = [];
    await world.consumer(async ({ parcel }) => void ran.push(parcel));
    await world.untilState(producer, next, 'completed');
    expect(ran).toEqual(['p-2']);
  });

  it.each(['completed', 'dead'] as const)('is refused once it is %s', async (state) => {
    const [, id] = await runUntil(state, async () => {
      if (state === 'dead') throw new PermanentError();
    });
    expect(await world.operations().cancel(id)).toBe('already_finished');
  });

  it('tells that there is no such job', async () => {
    expect(await world.operations().cancel('AAAAAAAAAAAAAAAAAAAAAA')).toBe('not_found');
  });
});

describe('cancelling a job that runs', () => {
  it('aborts its signal at once, and the job settles as cancelled', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const outcomes: string[] = [];
    const hooks: ConsumerHooks = { onAttemptEnded: ({ outcome }) => outcomes.push(outcome) };
    let reason: unknown;
    await world.consumer(
      async (_payload, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
        throw signal.reason;
      },
      { hooks },
    );
    await world.untilState(producer, id, 'active');
    const operations = world.operations();
    expect(await operations.cancel(id)).toBe('cancelling');
    const view = await world.untilState(producer, id, 'cancelled');
    expect((reason as Error).message).toBe('the job was cancelled');
    expect(view).toMatchObject({ finishedAt: expect.any(String) });
    await expect.poll(() => outcomes).toEqual(['cancel']);
    expect(await operations.queueCounts('parcels')).toMatchObject({ active: 0, cancelled: 1, dead: 0 });
    expect((await operations.account('acme')).gates.every(({ inFlight }) => inFlight === 0)).toBe(true);
  });

  it('takes the result of a handler that has finished its work all the same', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async (_payload, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'sent';
    });
    await world.untilState(producer, id, 'active');
    expect(await world.operations().cancel(id)).toBe('cancelling');
    expect(await world.untilState(producer, id, 'completed')).toMatchObject({ result: 'sent' });
  });

  it('is noticed at the next renewal of the lease when the message was lost', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(
      async (_payload, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
      { leaseMs: 1_000 },
    );
    await world.untilState(producer, id, 'active');
    // As `cancel.lua` writes it, without its message.
    await redis.client.hset(`${redis.prefix}:parcels:${id}`, 'flCancel', '1');
    await world.untilState(producer, id, 'cancelled');
  });

  it('does not run it again when its worker was lost meanwhile', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id, leaseMs: 1_000 });
    expect(await world.operations().cancel(id)).toBe('cancelling');
    let runs = 0;
    await world.consumer(async () => void (runs += 1), { leaseMs: 1_000 });
    await world.untilState(producer, id, 'cancelled');
    expect(runs).toBe(0);
    await until(
      'its claim is gone',
      async () => (await world.operations().account('acme')).counts.active === 0,
    );
  });
});
