import { createEffectRunner, createRedisLedger } from '@fairlane/ledger';
import { createCatalogue, defineJob, defineLimitGroups, defineQueues, PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UnavailableError, type JobFilter } from '../index.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);

describe('limits of a catalogue', () => {
  const letterSend = defineJob({
    name: 'letter.send',
    payload: z.object({ accountId: z.string(), letter: z.number() }),
    account: (p) => p.accountId,
    key: (p) => [p.letter],
    queue: 'letters',
    limitGroup: 'post',
  });
  const catalogue = createCatalogue({
    jobs: [letterSend],
    queues: defineQueues({ letters: { slots: 5 } }, { rules: [{ queue: 'letters' }] }),
    limitGroups: defineLimitGroups({
      post: { default: { limit: 1, perMs: 60_000, burst: 2 }, total: { limit: 3, perMs: 60_000, burst: 3 } },
    }),
  });

  it('R3 hold from the start for every account, and over all of them', async () => {
    const producer = world.producer({ catalogue });
    const operations = world.operations({ catalogue });
    for (const accountId of ['one', 'two']) {
      for (let letter = 0; letter < 5; letter += 1) await producer.enqueue(letterSend, { accountId, letter });
    }
    const seen: string[] = [];
    const consumer = world.unstartedConsumer(
      [
        {
          contract: letterSend,
          run: async ({ accountId }: { accountId: string }) => void seen.push(accountId),
        },
      ] as never,
      { catalogue, queues: { letters: { slots: 5 } } },
    );
    await consumer.start();
    await until('three ran', async () => (await operations.queueCounts('letters')).completed === 3);
    const { gates } = await operations.account('one');
    expect(gates).toMatchObject([{ group: 'post', limits: { intervalMs: 60_000, burst: 2 } }]);
    // Own limits count instead of the default; the total still stands.
    await operations.setLimits('one', 'post', { limit: 1_000, perMs: 1_000 });
    await operations.setLimits('two', 'post', { limit: 1_000, perMs: 1_000 });
    const { items } = await operations.jobs({ state: 'held' });
    expect(items.map(({ reason }) => reason)).toEqual(Array.from({ length: 7 }, () => 'group_total'));
    expect(seen).toHaveLength(3);
    expect(seen.filter((account) => account === 'one').length).toBeLessThanOrEqual(2);
  });
});

describe('operations', () => {
  it('set limits, pause and resume in force at once, and say why a job waits', async () => {
    const producer = world.producer();
    const operations = world.operations();
    await operations.setLimits('acme', 'default', { limit: 1, perMs: 3_600_000 });
    await world.consumer(async () => undefined);
    const [first = '', second = ''] = await Promise.all(
      ['p-1', 'p-2'].map(async (parcel) =>
        idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel })),
      ),
    );
    await until('one ran', async () => (await operations.queueCounts('parcels')).completed === 1);
    const left = (await producer.job(first))?.state === 'completed' ? second : first;
    const held = await operations.job(left);
    expect(held).toMatchObject({ state: 'held', reason: 'rate_limit' });
    expect(Date.parse(held?.nextRunAt ?? '') - Date.now()).toBeGreaterThan(3_500_000);

    expect(await operations.pause('acme', 'ann')).toBe(true);
    expect(await operations.pause('acme', 'ann')).toBe(false);
    expect(await operations.account('acme')).toMatchObject({ paused: { by: 'ann' }, counts: { held: 1 } });
    expect(await operations.job(left)).toMatchObject({ reason: 'paused' });
    await operations.removeLimits('acme', 'default');
    expect(await operations.job(left)).toMatchObject({ state: 'held' });
    expect(await operations.resume('acme', 'ann')).toBe(true);
    await world.untilState(producer, left, 'completed');
    expect((await operations.accounts({ search: 'ac' })).items).toMatchObject([{ account: 'acme' }]);
  });

  it.each([
    ['a limit of 0', 'default', { limit: 0, perMs: 1_000 }, 'invalid_limits'],
    ['a group that is not declared', 'fax', { limit: 1, perMs: 1_000 }, 'undeclared_group'],
  ])('refuse %s', async (_what, group, limits, code) => {
    const refused = world.operations().setLimits('acme', group, limits);
    await expect(refused).rejects.toMatchObject({ name: 'LaneError', code });
  });

  it('answer with unavailable in time while Redis is away', async () => {
    const operations = world.operations({ redis: 'redis://127.0.0.1:1', timeoutMs: 100 });
    await expect(operations.account('acme')).rejects.toThrow(UnavailableError);
    await expect(operations.cancel('AAAAAAAAAAAAAAAAAAAAAA')).rejects.toThrow(UnavailableError);
  });

  it('show a paused queue as the reason of its jobs', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'p-1' }));
    await world.queue().queue.pause();
    expect(await producer.job(id)).toMatchObject({ state: 'held', reason: 'queue_paused' });
    expect(await producer.queueCounts('parcels')).toMatchObject({ ready: 0, held: 1 });
  });
});

async function aFewOfEach() {
  const producer = world.producer();
  const operations = world.operations();
  const add = async (parcel: string, accountId = 'acme', options = {}) => {
    const id = idOf(await producer.enqueue(world.job, { accountId, parcel, note: 'spring' }, options));
    const addedAt = Date.now();
    await until('the clock has moved, so that the order is known', () => Date.now() > addedAt);
    return id;
  };
  await add('done');
  await add('dead');
  const consumer = await world.consumer(async ({ parcel }) => {
    if (parcel === 'dead') throw new PermanentError();
  });
  await until('both ended', async () => (await operations.queueCounts('parcels')).dead === 1);
  await until('both ended', async () => (await operations.queueCounts('parcels')).completed === 1);
  await consumer.close();
  await operations.cancel(await add('cancelled'));
  await add('scheduled', 'acme', { delayMs: 60_000 });
  await add('ready');
  await operations.pause('zeta', 'ann');
  await add('held', 'zeta');
  return operations;
}

describe('lists of jobs', () => {
  it('R14 a page asks the ledger once for all its jobs, and tells of each what its own view tells', async () => {
    const ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
    const asked: (readonly string[])[] = [];
    const effectsOf: typeof ledger.effectsOf = async (ids) => {
      asked.push(ids);
      return ledger.effectsOf(ids);
    };
    const operations = world.operations({ effects: Object.assign(Object.create(ledger), { effectsOf }) });
    const producer = world.producer();
    const consumer = await world.consumer(
      async (_payload, { effect }) => effect('send', { perform: async () => ({ id: 'm-1' }) }),
      { effects: createEffectRunner({ ledger }) },
    );
    for (const parcel of ['p-1', 'p-2', 'p-3']) {
      const id = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel }));
      await world.untilState(producer, id, 'completed');
    }
    await consumer.close();
    await producer.enqueue(world.job, { accountId: 'acme', parcel: 'p-4' });
    const { items } = await operations.jobs({ account: 'acme' });
    expect(items.filter(({ effects }) => effects.length === 1)).toHaveLength(3);
    expect(asked.map((ids) => ids.length)).toEqual([3]);
    for (const item of items) expect(await operations.job(item.id)).toEqual(item);
    await ledger.close();
  });

  it('jobs of other producers are each in their queue, though their ids are the same', async () => {
    const { queue } = world.queue();
    await queue.add('parcel.weigh', { grams: 5 });
    await world.queue('letters').queue.add('letter.fold', {});
    const operations = world.operations();
    const { items } = await operations.jobs();
    expect(new Set(items.map(({ id, queue: where, name }) => `${where} ${id} ${name}`))).toEqual(
      new Set(['letters 1 letter.fold', 'parcels 1 parcel.weigh']),
    );
    expect(await operations.job('1', { queue: 'letters' })).toMatchObject({
      name: 'letter.fold',
      version: 0,
    });
    expect(await operations.job('1', { queue: 'parcels' })).toMatchObject({ name: 'parcel.weigh' });
    expect(await operations.payload('1', 'parcels')).toMatchObject({ text: '{"grams":5}' });
  });

  it.each<[string, JobFilter, string[]]>([
    // Of waiting jobs those of one account follow those of another: there is no index over all lanes.
    ['all', {}, ['ready', 'held', 'scheduled', 'cancelled', 'dead', 'completed']],
    ['of an account', { account: 'acme' }, ['ready', 'scheduled', 'cancelled', 'dead', 'completed']],
    ['of a tag', { tag: 'spring' }, ['held', 'ready', 'scheduled', 'cancelled', 'dead', 'completed']],
    ['of a tag and a state', { tag: 'spring', state: 'dead' }, ['dead']],
    ['held', { state: 'held' }, ['held']],
    ['scheduled, of an account', { state: 'scheduled', account: 'acme' }, ['scheduled']],
    ['of another name', { name: 'parcel.weigh' }, []],
    ['of another queue', { queue: 'letters' }, []],
    ['created later', { since: Date.now() + 60_000 }, []],
  ])('%s, newest first', async (_what, filter, states) => {
    const operations = await aFewOfEach();
    const { items, cursor } = await operations.jobs(filter);
    expect(items.map(({ state }) => state)).toEqual(states);
    expect(cursor).toBeNull();
    const paged: string[] = [];
    let next: string | null = null;
    do {
      const page = await operations.jobs({ ...filter, limit: 2, ...(next === null ? {} : { cursor: next }) });
      paged.push(...page.items.map(({ id }) => id));
      next = page.cursor;
    } while (next !== null);
    expect(paged).toEqual(items.map(({ id }) => id));
  });
});
