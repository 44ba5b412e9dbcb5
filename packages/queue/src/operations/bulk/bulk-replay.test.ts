import { createEffectRunner, createRedisLedger, type EffectLedger } from '@fairlane/ledger';
import { PermanentError, RetryableError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ended, started } from '../../../test/support/bulk-operations.js';
import { until } from '../../../test/support/until.js';
import { idOf, World } from '../../../test/support/world.js';
import type { Operations } from '../../index.js';
import { BulkStore, MAX_RUNNING } from './bulk-store.js';

const redis = useRedis();
const world = new World(redis);
const request = { filter: {}, perSecond: 1_000, by: 'somebody' };
let ledger: EffectLedger;

beforeEach(() => {
  ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
});
afterEach(async () => ledger.close());

/** Jobs that died of `error` in the effect `send`; no consumer is left. */
async function bury(
  count: number,
  { error = new PermanentError({ reason: 'no' }) as Error, account = 'acme' } = {},
) {
  const producer = world.producer();
  const consumer = await world.consumer(
    async (_payload, { effect }) =>
      effect('send', {
        perform: async () => {
          throw error;
        },
      }),
    { effects: createEffectRunner({ ledger }) },
  );
  const parcel = () => `p-${account}-${Math.random()}`;
  const payloads = Array.from({ length: count }, () => ({ accountId: account, parcel: parcel() }));
  const ids = await Promise.all(
    payloads.map(async (payload) => idOf(await producer.enqueue(world.job, payload))),
  );
  for (const id of ids) await world.untilState(producer, id, 'dead');
  await consumer.close();
  return ids;
}

const open = () => world.operations({ effects: ledger });

async function deadIds(operations: Operations): Promise<string[]> {
  return (await operations.deadLetters({ limit: 500 })).items.map(({ id }) => id);
}

describe('a dry run', () => {
  it('counts by code and account what a replay would do, leaves unresolved ones out and starts nothing', async () => {
    await bury(3);
    await bury(2, { error: new RetryableError({ reason: 'hung up' }) });
    await bury(1, { account: 'other' });
    const operations = open();
    world.bulkRunner({ effects: ledger });
    expect(await operations.previewReplay({})).toMatchObject({
      matched: 4,
      byCode: { rejected: 4 },
      byAccount: [
        { account: 'acme', matched: 3 },
        { account: 'other', matched: 1 },
      ],
      unresolved: 2,
    });
    expect(await operations.previewReplay({ account: 'other' })).toMatchObject({ matched: 1, unresolved: 0 });
    expect(await deadIds(operations)).toHaveLength(6);
  });

  it('fixes a moment: what dies after it stays out, however far ahead the caller set it', async () => {
    await bury(2);
    const operations = open();
    const { until: moment } = await operations.previewReplay({ until: Date.now() + 86_400_000 });
    expect(moment).toBeLessThanOrEqual(Date.now() + 1_000);
    const [later] = await bury(1);
    const { id, matched } = started(await operations.replayAll({ ...request, filter: { until: moment } }));
    expect(matched).toBe(2);
    world.bulkRunner({ effects: ledger });
    expect(await ended(operations, id)).toMatchObject({ state: 'done', done: 2, failed: 0 });
    expect(await deadIds(operations)).toEqual([later]);
  });
});

describe('a bulk replay', () => {
  it('A21 replays each once, those alone that match and wait for nobody', async () => {
    await bury(5);
    const unresolved = await bury(1, { error: new RetryableError({ reason: 'hung up' }) });
    const others = await bury(1, { account: 'other' });
    const operations = open();
    const told: string[] = [];
    world.bulkRunner({ effects: ledger, onProgress: (id) => told.push(id) });
    const { id } = started(await operations.replayAll({ ...request, filter: { account: 'acme' } }));
    expect(await ended(operations, id)).toMatchObject({ state: 'done', matched: 5, done: 5, failed: 0 });
    expect(await deadIds(operations)).toEqual([...others, ...unresolved]);
    await until('progress was told', () => told.includes(id));
  });

  it('A21 goes on after a runner was killed within a page: nothing is replayed or counted twice', async () => {
    const ids = await bury(6);
    const operations = open();
    const { id } = started(await operations.replayAll(request));
    const { backend } = world.queue();
    const store = new BulkStore(backend, redis.prefix);
    const killed = await store.lease(id, 300);
    if (killed === undefined) throw new Error('the operation was not leased');
    expect(await store.lease(id, 300)).toBeUndefined();
    const letters = (await operations.deadLetters()).items;
    const replay = async (at: number) => {
      const letter = letters[at];
      if (letter === undefined) throw new Error('there are fewer letters');
      return backend.replayDead(letter.id, Date.parse(letter.finishedAt), store.acting(killed));
    };
    expect([await replay(0), await replay(1)]).toEqual([true, true]);
    // Dead again before the next runner comes; its time of death is put back, as a slow clock would have it.
    const [again] = letters;
    const consumer = await world.consumer(async () => {
      throw new PermanentError({ reason: 'still no' });
    });
    await world.untilState(world.producer(), again?.id ?? '', 'dead');
    await consumer.close();
    const base = `${redis.prefix}:parcels:`;
    const before = Date.parse(again?.finishedAt ?? '') - 5_000;
    await redis.client.hset(`${base}${again?.id}`, 'finishedOn', before);
    await redis.client.zadd(`${base}failed`, before, again?.id ?? '');
    world.bulkRunner({ effects: ledger });
    expect(await ended(operations, id)).toMatchObject({ state: 'done', matched: 6, done: 6, failed: 0 });
    expect(await deadIds(operations)).toContain(again?.id);
    expect(ids).toHaveLength(6);
    // The killed one, had it only been slow, can do no more.
    expect(await replay(5)).toBe(false);
    expect(await store.advance(killed, { cursor: null, failed: 3, leaseMs: 1 })).toBe(false);
    expect(await operations.operation(id)).toMatchObject({ done: 6, failed: 0 });
  });

  it('keeps to its pace, and a cancel stops it within a page', async () => {
    await bury(12);
    const operations = open();
    const { id } = started(await operations.replayAll({ ...request, perSecond: 4 }));
    const startedAtMs = performance.now();
    world.bulkRunner({ effects: ledger });
    await until('two pages are through', async () => ((await operations.operation(id))?.done ?? 0) >= 8);
    expect(performance.now() - startedAtMs).toBeGreaterThan(900);
    expect(await operations.cancelOperation(id)).toMatchObject({
      wasRunning: true,
      operation: { state: 'cancelled' },
    });
    const { done = 0 } = (await operations.operation(id)) ?? {};
    expect(await operations.cancelOperation(id)).toMatchObject({ wasRunning: false });
    expect(await deadIds(operations)).toHaveLength(12 - done);
    expect(await operations.cancelOperation('nope')).toBeUndefined();
  });

  it('is given up by a runner that closes, for another to go on with at once', async () => {
    await bury(6);
    const operations = open();
    const first = world.bulkRunner({ effects: ledger });
    const { id } = started(await operations.replayAll({ ...request, perSecond: 3 }));
    await until('a page is through', async () => ((await operations.operation(id))?.done ?? 0) >= 3);
    await first.close();
    world.bulkRunner({ effects: ledger });
    expect(await ended(operations, id)).toMatchObject({ state: 'done', done: 6 });
  });
});

describe('registering', () => {
  it('is done once for an idempotency key of a caller and a body', async () => {
    const operations = open();
    const keyed = { ...request, idempotencyKey: 'k1' };
    const { id } = started(await operations.replayAll(keyed));
    expect(await operations.replayAll(keyed)).toMatchObject({ outcome: 'repeated', operation: { id } });
    expect(await operations.replayAll({ ...keyed, perSecond: 2 })).toEqual({ outcome: 'conflict' });
    expect(await operations.replayAll({ ...keyed, by: 'other' })).toMatchObject({ outcome: 'started' });
    const both = await Promise.all(
      [1, 2].map(async () => operations.replayAll({ ...request, idempotencyKey: 'k2' })),
    );
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['repeated', 'started']);
  });

  it('R14 has a bound on operations that run; ended ones are kept for a week', async () => {
    const operations = open();
    const outcomes = [];
    for (let at = 0; at <= MAX_RUNNING; at += 1) outcomes.push(await operations.replayAll(request));
    expect(outcomes.at(-1)).toEqual({ outcome: 'too_many' });
    const [first] = outcomes.filter(({ outcome }) => outcome === 'started');
    const { id } = started(first ?? { outcome: 'too_many' });
    await operations.cancelOperation(id);
    const keptMs = await redis.client.pttl(`${redis.prefix}::operation:${id}`);
    expect(keptMs).toBeGreaterThan(6 * 86_400_000);
    expect((await operations.replayAll(request)).outcome).toBe('started');
  });
});
