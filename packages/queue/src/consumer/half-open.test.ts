import { createLanes } from '@fairlane/lanes';
import { startFaultProxy, type FaultProxy } from '@fairlane/testkit';
import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import type { Producer } from '../index.js';

const redis = useRedis();
const world = new World(redis);
/** Its connections are given up after five seconds of silence, so that leases of fifteen are kept. */
const LEASE_MS = 15_000;
const SILENCE_MS = 5_000;
const SHORT_LEASE_MS = 2_000;

let proxy: FaultProxy;
let throughProxy: string;
let producer: Producer;
let runs: Map<string, number>;

beforeEach(async () => {
  proxy = await startFaultProxy({ target: { port: redis.server.port } });
  throughProxy = `redis://127.0.0.1:${proxy.port}`;
  producer = world.producer();
  runs = new Map();
});
afterEach(async () => proxy.close());

async function enqueue(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    ids.push(idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` })));
  }
  return ids;
}

async function untilCompleted(ids: readonly string[]): Promise<void> {
  await until(
    'all jobs are completed',
    async () => (await producer.queueCounts('parcels')).completed === ids.length,
    60_000,
  );
}

/** Claims of the account that are counted as in flight. */
async function inFlight(): Promise<number | undefined> {
  const lanes = createLanes({ connection: redis.client, prefix: redis.prefix });
  return (await lanes.account('acme')).gates[0]?.inFlight;
}

function count(id: string): void {
  runs.set(id, (runs.get(id) ?? 0) + 1);
}

describe('A26 A27 a consumer behind a link that swallows bytes', () => {
  it('R1 R4 R11 gives half-open connections up: running jobs keep their leases, each runs once, no claim is left', async () => {
    const lanes = createLanes({ connection: redis.client, prefix: redis.prefix });
    await lanes.setLimits('acme', 'default', { limit: 1_000, perMs: 1_000, maxInFlight: 5 });
    const ids = await enqueue(30);
    let finish: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    await world.consumer(
      async (_payload, { job }) => {
        count(job.id);
        await held;
      },
      { redis: throughProxy, leaseMs: LEASE_MS },
    );
    await until('every slot is busy', () => runs.size === 5);
    // Two for the queue, heartbeat and cancellations.
    expect(proxy.silence()).toBeGreaterThanOrEqual(4);
    finish?.();
    await untilCompleted(ids);
    for (const id of ids) {
      expect(await producer.job(id)).toMatchObject({ attempts: { made: 1 }, stalls: 0 });
    }
    expect([...runs.values()]).toEqual(ids.map(() => 1));
    expect(await inFlight()).toBe(0);
  });

  it('R1 R11 loses and doubles nothing when answers vanish for a while', async () => {
    const ids = await enqueue(300);
    await world.consumer(async (_payload, { job }) => count(job.id), {
      redis: throughProxy,
      leaseMs: SHORT_LEASE_MS,
    });
    await until('it works', () => runs.size > 10);
    const restore = proxy.swallow('toClient');
    await until('answers vanish', () => proxy.swallowedBytes > 0);
    restore();
    await untilCompleted(ids);
    expect([...runs.values()]).toEqual(ids.map(() => 1));
    for (const id of ids) expect(await producer.job(id)).toMatchObject({ attempts: { made: 1 } });
  });

  it('closes within its grace while bytes vanish, and another takes its job over, no attempt spent', async () => {
    const [id = ''] = await enqueue(1);
    const consumer = await world.consumer(
      async (_payload, { job }) => {
        count(job.id);
        await new Promise(() => undefined);
      },
      { redis: throughProxy, leaseMs: SHORT_LEASE_MS },
    );
    await until('it runs', () => runs.size === 1);
    proxy.swallow('toServer');
    await until('bytes vanish', () => proxy.swallowedBytes > 0);
    const watch = startStopwatch(redis.server.pid);
    await consumer.drain(300);
    expect(watch.ownMs()).toBeLessThan(8_000);
    await world.consumer(async (_payload, { job }) => count(job.id), { leaseMs: SHORT_LEASE_MS });
    expect(await world.untilState(producer, id, 'completed')).toMatchObject({
      attempts: { made: 1 },
      stalls: 1,
    });
    expect(runs.get(id)).toBe(2);
  });

  it('is not taken for one whose Redis is away: the time since it could ask for work grows, and ends with the fault', async () => {
    const consumer = await world.consumer(async () => undefined, { redis: throughProxy, leaseMs: LEASE_MS });
    const unasked = (): number => consumer.health().queues[0]?.lastPollAgeMs ?? Number.NaN;
    const restore = proxy.swallow('toClient');
    // Longer than connections are given up after: being made anew in vain is no sign of life.
    await until('it is said', () => unasked() > SILENCE_MS + 1_000, 30_000);
    restore();
    await until('it asks again', () => unasked() < 1_000, 30_000);
  });
});
