import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { ended, started } from '../../../test/support/bulk-operations.js';
import { until } from '../../../test/support/until.js';
import { idOf, World } from '../../../test/support/world.js';
import type { CancelFilter, Operations, Producer } from '../../index.js';
import { BulkStore } from './bulk-store.js';

const redis = useRedis();
const world = new World(redis);
let parcels = 0;

type Options = Parameters<Producer['enqueue']>[2];

async function add(
  count: number,
  { account = 'acme', note = 'spring', ...options }: Options & { account?: string; note?: string } = {},
): Promise<string[]> {
  const producer = world.producer();
  const ids = [];
  for (let at = 0; at < count; at += 1) {
    const payload = { accountId: account, parcel: `p-${(parcels += 1)}`, note };
    ids.push(idOf(await producer.enqueue(world.job, payload, options)));
  }
  return ids;
}

async function statesOf(ids: readonly string[]): Promise<(string | undefined)[]> {
  const producer = world.producer();
  return Promise.all(ids.map(async (id) => (await producer.job(id))?.state));
}

const ask = async (operations: Operations, filter: CancelFilter) =>
  started(await operations.cancelAll({ filter, by: 'somebody' }));

describe('a bulk cancel', () => {
  it('R1 ends every job of its filter that has not ended, in whatever state, and each once', async () => {
    const operations = world.operations();
    let isTold = false;
    const producer = world.producer();
    const [running = ''] = await add(1);
    await world.consumer(
      async (_payload, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        isTold = true;
        throw signal.reason;
      },
      { queues: { parcels: { slots: 1 } } },
    );
    await world.untilState(producer, running, 'active');
    const ids = [
      ...(await add(3)),
      ...(await add(2, { delayMs: 60_000 })),
      ...(await add(2, { priority: 3 })),
    ];
    const others = [...(await add(1, { account: 'other' })), ...(await add(1, { note: 'autumn' }))];
    const ends: string[] = [];
    world.bulkRunner({ onCancelled: ({ queue, name }) => ends.push(`${queue} ${name}`) });
    const filter = { account: 'acme', tag: 'spring' };
    expect(await operations.previewCancel(filter)).toMatchObject({ matched: 8 });
    const { id, matched, byState } = await ask(operations, filter);
    expect([matched, byState]).toEqual([8, { active: 1, ready: 5, scheduled: 2 }]);
    expect(await ended(operations, id)).toMatchObject({ state: 'done', done: 8, failed: 0, skipped: 0 });
    await world.untilState(producer, running, 'cancelled');
    expect(isTold).toBe(true);
    expect(await statesOf(ids)).toEqual(ids.map(() => 'cancelled'));
    // The running one is counted by its worker.
    expect(ends).toEqual(ids.map(() => 'parcels parcel.send'));
    const left = await statesOf(others);
    expect(left.filter((state) => state === 'cancelled')).toEqual([]);
  });

  it('leaves out what is created after it was asked for, also under the same key', async () => {
    const operations = world.operations();
    const [first = ''] = await add(1);
    const { until: moment } = await operations.previewCancel({});
    await until('the moment is over', () => Date.now() > moment + 1);
    const later = await add(2);
    const { id } = await ask(operations, { until: moment });
    world.bulkRunner();
    expect(await ended(operations, id)).toMatchObject({ matched: 1, done: 1 });
    expect(await statesOf([first, ...later])).toEqual(['cancelled', 'ready', 'ready']);
  });

  it('takes only the state that is asked for, and touches nothing that has ended', async () => {
    const operations = world.operations();
    const [ready = ''] = await add(1);
    const [scheduled = ''] = await add(1, { delayMs: 60_000 });
    world.bulkRunner();
    const { id } = await ask(operations, { state: 'scheduled' });
    expect(await ended(operations, id)).toMatchObject({ matched: 1, done: 1 });
    expect(await statesOf([ready, scheduled])).toEqual(['ready', 'cancelled']);
    const ofEnds = await ask(operations, { state: 'cancelled' });
    expect(await ended(operations, ofEnds.id)).toMatchObject({ matched: 0, done: 0, skipped: 0 });
  });

  it('touches only the accounts that it is limited to, also where its filter names none', async () => {
    const operations = world.operations();
    const own = [...(await add(1, { account: 'own-1' })), ...(await add(1, { account: 'own-2' }))];
    const others = await add(2, { account: 'other' });
    world.bulkRunner();
    const { id, matched } = await ask(operations, { accounts: ['own-1', 'own-2'] });
    expect(matched).toBe(2);
    expect(await ended(operations, id)).toMatchObject({ done: 2 });
    expect(await statesOf([...own, ...others])).toEqual(['cancelled', 'cancelled', 'ready', 'ready']);
  });

  it('R14 counts what had ended before its turn as skipped', async () => {
    const operations = world.operations();
    const ids = await add(4);
    const { id } = await ask(operations, {});
    for (const gone of ids.slice(0, 3)) await operations.cancel(gone);
    world.bulkRunner();
    expect(await ended(operations, id)).toMatchObject({ matched: 4, done: 1, skipped: 3 });
  });

  it('goes on after a runner was killed within a page, and counts nothing twice', async () => {
    const operations = world.operations();
    const ids = await add(5);
    const { id } = await ask(operations, {});
    const { backend } = world.queue();
    const store = new BulkStore(backend, redis.prefix);
    const killed = await store.lease(id, 300);
    if (killed === undefined) throw new Error('the operation was not leased');
    const cancel = async (at: number) => {
      const job = await world.producer().job(ids[at] ?? '');
      return backend.cancel(ids[at] ?? '', ['parcels'], {
        operation: store.acting(killed),
        createdAtMs: Date.parse(job?.createdAt ?? ''),
        states: ['ready'],
      });
    };
    const gone = ['cancelled', 'parcels', 'parcel.send'];
    expect([await cancel(0), await cancel(1), await cancel(1)]).toEqual([gone, gone, 'passed_over']);
    world.bulkRunner();
    expect(await ended(operations, id)).toMatchObject({ state: 'done', done: 5, failed: 0, skipped: 0 });
    // The killed one, had it only been slow, can do no more.
    const [late = ''] = await add(1);
    ids.push(late);
    expect(await cancel(5)).toBe('stopped');
    expect(await statesOf([late])).toEqual(['ready']);
  });

  it('passes over a job of the same key that is not the one it has looked at', async () => {
    const operations = world.operations();
    const [id = ''] = await add(1);
    const { id: operation } = await ask(operations, {});
    const { backend } = world.queue();
    const store = new BulkStore(backend, redis.prefix);
    const leased = await store.lease(operation, 60_000);
    if (leased === undefined) throw new Error('the operation was not leased');
    const meant = { operation: store.acting(leased), createdAtMs: 1, states: ['ready'] as const };
    expect(await backend.cancel(id, ['parcels'], meant)).toBe('passed_over');
    expect(await statesOf([id])).toEqual(['ready']);
  });

  it('is stopped by its cancel: what is left stays', async () => {
    const operations = world.operations();
    const ids = await add(3);
    const { id } = await ask(operations, {});
    expect(await operations.cancelOperation(id)).toMatchObject({ wasRunning: true });
    world.bulkRunner();
    expect(await ended(operations, id)).toMatchObject({ state: 'cancelled', done: 0 });
    expect(await statesOf(ids)).toEqual(['ready', 'ready', 'ready']);
  });

  it('is registered once for an idempotency key, of which a replay is another request', async () => {
    const operations = world.operations();
    const request = { filter: { account: 'acme' }, by: 'somebody', idempotencyKey: 'k1' };
    const { id } = started(await operations.cancelAll(request));
    expect(await operations.cancelAll(request)).toMatchObject({ outcome: 'repeated', operation: { id } });
    const scoped = { ...request, filter: { account: 'acme', accounts: ['acme'] } };
    expect(await operations.cancelAll(scoped)).toEqual({ outcome: 'conflict' });
    expect(await operations.replayAll({ ...request, perSecond: 5 })).toEqual({ outcome: 'conflict' });
  });
});
