import { RetryableError, PermanentError, ThrottledError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { Producer } from '../index.js';
import { defineParcelJob } from '../../test/support/parcels.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const first = { accountId: 'acme', parcel: 'p-1' };
const other = { ...first, note: 'fragile' };

/** Brings the first job of the key into a state; gives the producer that asks afterwards. */
const states = {
  async scheduled() {
    const producer = world.producer();
    await producer.enqueue(world.job, first, { delayMs: 60_000 });
    return producer;
  },
  async ready() {
    const producer = world.producer();
    await producer.enqueue(world.job, first);
    return producer;
  },
  held: async () => endedAs('held', new ThrottledError({ retryAfterMs: 60_000 })),
  async active() {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, first));
    await world.consumer(
      async (_payload, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
      { graceMs: 0 },
    );
    await world.untilState(producer, id, 'active');
    return producer;
  },
  retrying: async () => endedAs('retrying', new RetryableError({ retryAfterMs: 60_000 })),
  completed: async () => endedAs('completed'),
  async 'completed and trimmed'() {
    const producer = await endedAs('completed');
    await world.trim('completed');
    return producer;
  },
  dead: async () => endedAs('dead', new PermanentError()),
  async cancelled() {
    const producer = await states.scheduled();
    expect(await world.operations().cancel(await idOfFirst(producer))).toBe('cancelled');
    return producer;
  },
  async 'cancelled and trimmed'() {
    const producer = await states.cancelled();
    await world.trim('cancelled');
    return producer;
  },
  async 'active, cancel requested'() {
    const producer = await states.active();
    const id = await idOfFirst(producer);
    // The worker does not hear of it.
    await redis.client.hset(`${redis.prefix}:parcels:${id}`, 'flCancel', '1');
    return producer;
  },
  async 'dead letter purged'() {
    const producer = await endedAs('dead', new PermanentError());
    await world.operations().purge(await idOfFirst(producer));
    return producer;
  },
  async 'completed, retention over'() {
    await endedAs('completed');
    return world.producer({ retentionMs: 0 });
  },
  async 'dead, retention over'() {
    await endedAs('dead', new PermanentError());
    return world.producer({ retentionMs: 0 });
  },
};

async function endedAs(state: 'held' | 'retrying' | 'completed' | 'dead', error?: Error): Promise<Producer> {
  const producer = world.producer();
  const id = idOf(await producer.enqueue(world.job, first));
  const consumer = await world.consumer(async () => {
    if (error !== undefined) throw error;
  });
  await world.untilState(producer, id, state);
  await consumer.close();
  return producer;
}

async function idOfFirst(producer: Producer): Promise<string> {
  return idOf(await producer.enqueue(world.job, first));
}

const TABLE = [
  ['scheduled', 'duplicate', 'conflict', 'scheduled'],
  ['ready', 'duplicate', 'conflict', 'ready'],
  ['held', 'duplicate', 'conflict', 'held'],
  ['active', 'duplicate', 'conflict', 'active'],
  ['retrying', 'duplicate', 'conflict', 'retrying'],
  ['completed', 'duplicate', 'conflict', 'completed'],
  ['completed and trimmed', 'duplicate', 'conflict', 'completed'],
  ['dead', 'duplicate', 'conflict', 'dead'],
  ['active, cancel requested', 'duplicate', 'conflict', 'active'],
  ['cancelled', 'accepted', 'accepted', 'ready'],
  ['cancelled and trimmed', 'accepted', 'accepted', 'ready'],
  ['dead letter purged', 'accepted', 'accepted', 'ready'],
  ['completed, retention over', 'accepted', 'accepted', 'ready'],
  ['dead, retention over', 'accepted', 'accepted', 'ready'],
] as const;

describe('R12 a second submit of a key', () => {
  it.each(TABLE)('while the first is %s: the same payload is %s', async (state, same, _other, shown) => {
    const producer = await states[state]();
    const result = await producer.enqueue(world.job, first);
    expect(result).toMatchObject({ outcome: same, state: shown });
    const view = await producer.job(idOf(result));
    expect(view?.state).toBe(state === 'completed and trimmed' ? undefined : shown);
    const { completed, dead, cancelled } = await producer.queueCounts('parcels');
    const ends = same === 'accepted' ? 0 : Number(['completed', 'dead'].includes(state));
    expect(completed + dead + cancelled).toBe(ends);
  });

  it.each(TABLE)('while the first is %s: %s, and another payload is %s', async (state, _same, another) => {
    const producer = await states[state]();
    expect(await producer.enqueue(world.job, other)).toMatchObject({ outcome: another });
  });

  it('counts another payload as a duplicate where the contract takes the first', async () => {
    world.job = defineParcelJob({ onConflict: 'first' });
    const producer = world.producer();
    await producer.enqueue(world.job, first);
    expect(await producer.enqueue(world.job, other)).toMatchObject({ outcome: 'duplicate', state: 'ready' });
  });

  it('runs an accepted second job, with the payload it brought', async () => {
    const producer = await states['dead, retention over']();
    const id = idOf(await producer.enqueue(world.job, other));
    const seen: unknown[] = [];
    await world.consumer(async (payload) => void seen.push(payload.note));
    const view = await world.untilState(producer, id, 'completed');
    expect(seen).toEqual(['fragile']);
    expect(view).toMatchObject({ attempts: { made: 1 }, tag: 'fragile' });
    expect(await producer.queueCounts('parcels')).toMatchObject({ completed: 1, dead: 0 });
  });
});
