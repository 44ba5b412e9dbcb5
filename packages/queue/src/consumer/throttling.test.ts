import { httpError } from '@fairlane/sdk';
import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);

const tooMany = (retryAfter: string) =>
  httpError(new Response(null, { status: 429, headers: { 'retry-after': retryAfter } }), {
    from: 'the depot',
  });

describe('a remote 429', () => {
  it('R3 R7 closes the gate until Retry-After: the other jobs of the account wait without being started', async () => {
    const producer = world.producer();
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      ids.push(idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` })));
    }
    const other = idOf(await producer.enqueue(world.job, { accountId: 'zeta', parcel: 'p-1' }));
    const watch = startStopwatch(redis.server.pid);
    const starts: { parcel: unknown; at: number; ownMs: number }[] = [];
    await world.consumer(
      async ({ accountId, parcel }) => {
        if (accountId !== 'acme') return;
        starts.push({ parcel, at: performance.now(), ownMs: watch.ownMs() });
        if (starts.length === 1) throw tooMany('1');
      },
      { queues: { parcels: { slots: 1 } } },
    );
    const [first = ''] = ids;
    expect(await world.untilState(producer, first, 'held')).toMatchObject({
      reason: 'throttled',
      attempts: { made: 0 },
      lastError: { code: 'throttled', status: 429 },
    });
    await world.untilState(producer, other, 'completed');
    expect(starts).toHaveLength(1);
    const { held, ready } = await producer.queueCounts('parcels');
    expect({ held, ready }).toEqual({ held: 20, ready: 0 });

    for (const id of ids) await world.untilState(producer, id, 'completed');
    // The job that was turned away goes first again.
    expect(starts.slice(0, 2).map(({ parcel }) => parcel)).toEqual(['p-0', 'p-0']);
    expect((starts[1]?.at ?? 0) - (starts[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect((starts[1]?.ownMs ?? 0) - (starts[0]?.ownMs ?? 0)).toBeLessThan(1_250);
    expect(starts).toHaveLength(21);
  });

  it('A17 leaves no claim behind where the number in flight is limited', async () => {
    const producer = world.producer();
    const operations = world.operations();
    await operations.setLimits('acme', 'default', { maxInFlight: 1 });
    const id = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'p-1' }));
    let runs = 0;
    await world.consumer(async () => {
      runs += 1;
      if (runs <= 3) throw tooMany('0.05');
    });
    await world.untilState(producer, id, 'completed');
    await until('nothing is in flight', async () => {
      const { gates } = await operations.account('acme');
      return gates.every(({ inFlight }) => inFlight === 0);
    });
    expect((await producer.job(id))?.attempts.made).toBe(1);
  });
});

describe('accounts of one queue', () => {
  it('A15 a job of another account starts at once beside 10,000 of one that is capped', async () => {
    const producer = world.producer();
    const operations = world.operations();
    await operations.setLimits('big', 'default', { maxInFlight: 1 });
    const parcels = Array.from({ length: 10_000 }, (_value, at) => ({ accountId: 'big', parcel: `p-${at}` }));
    for await (const { outcome } of producer.enqueueMany(world.job, parcels))
      expect(outcome).toBe('accepted');
    const watch = startStopwatch(redis.server.pid);
    const startedAt = new Map<string, number>();
    let inFlight = 0;
    let most = 0;
    await world.consumer(async ({ accountId }) => {
      if (!startedAt.has(accountId)) startedAt.set(accountId, watch.ownMs());
      if (accountId !== 'big') return;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
    });
    await until('the big account runs', () => startedAt.has('big'));
    const addedAt = watch.ownMs();
    await producer.enqueue(world.job, { accountId: 'small', parcel: 'p-1' });
    await until('the small account runs', () => startedAt.has('small'));
    expect((startedAt.get('small') ?? Infinity) - addedAt).toBeLessThan(1_000);
    expect(most).toBe(1);
  });
});
