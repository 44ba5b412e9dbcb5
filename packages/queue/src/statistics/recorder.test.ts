import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { startLostWorker } from '../../test/support/lost-worker.js';
import { defineParcelJob } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import type { ConsumerHooks } from '../consumer/hooks.js';
import { addUp, readMinute, type Tally } from './minutes.js';

const redis = useRedis();
const world = new World(redis);
const payload = (parcel: string) => ({ accountId: 'acme', parcel });

/** Everything that was counted of the parcels, over all minutes that are kept. */
async function counted(): Promise<Tally> {
  const keys = await redis.client.keys(`${redis.prefix}::st:parcels:*`);
  const hashes = await Promise.all(keys.map((key) => redis.client.hgetall(key)));
  return addUp(hashes.map((hash) => [readMinute(hash), 1]));
}

function sum(durations: ReadonlyMap<number, number>): number {
  return [...durations.values()].reduce((total, amount) => total + amount, 0);
}

async function takesGoodOnes({ parcel }: { parcel: string | string[] }): Promise<void> {
  if (parcel !== 'good') throw new Error('odd');
}

describe('the shared statistics', () => {
  it('count what all processes do, each job once, and go by themselves', async () => {
    world.job = defineParcelJob({ retry: { attempts: 2, baseMs: 1, capMs: 1 } });
    const [one, other] = [world.producer(), world.producer()];
    await world.consumer(takesGoodOnes);
    await world.consumer(takesGoodOnes);
    const good = idOf(await one.enqueue(world.job, payload('good')));
    await one.enqueue(world.job, payload('good'));
    const bad = idOf(await other.enqueue(world.job, payload('bad')));
    await world.untilState(one, good, 'completed');
    await world.untilState(one, bad, 'dead');
    await expect
      .poll(async () => (await counted()).counts)
      .toEqual({
        enqueued: 2,
        started: 3,
        completed: 1,
        dead: 1,
        cancelled: 0,
        succeededAttempts: 1,
        failedAttempts: 2,
      });
    const { waited, processed } = await counted();
    // The second attempt waited by decision.
    expect([sum(waited), sum(processed)]).toEqual([2, 3]);
    for (const key of await redis.client.keys(`${redis.prefix}::st:*`)) {
      const left = await redis.client.ttl(key);
      expect(left).toBeGreaterThan(61 * 60);
      expect(left).toBeLessThanOrEqual(75 * 60);
    }
  });

  it('hold the last second of a process that stops in good order', async () => {
    const producer = world.producer();
    let finish: (() => void) | undefined;
    const consumer = await world.consumer(async () => new Promise<void>((resolve) => (finish = resolve)));
    await producer.enqueue(world.job, payload('p-1'));
    const running = await until('the job runs', () => finish);
    const closed = consumer.close();
    running();
    await closed;
    await producer.close();
    expect((await counted()).counts).toMatchObject({ enqueued: 1, completed: 1 });
  });

  it('A04 count a job that is dead because its workers were lost', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload('p-1')));
    await startLostWorker({ url: redis.url, prefix: redis.prefix, id, leaseMs: 1_000 });
    const ends: unknown[] = [];
    const hooks: ConsumerHooks = { onAttemptEnded: (end) => ends.push(end) };
    await world.consumer(async () => undefined, { leaseMs: 1_000, maxStalls: 0, hooks });
    await world.untilState(producer, id, 'dead');
    await expect.poll(async () => (await counted()).counts).toMatchObject({ dead: 1, failedAttempts: 0 });
    expect(ends).toEqual([
      { queue: 'parcels', name: 'parcel.send', outcome: 'dead', end: 'dead', code: 'crashed' },
    ]);
  });

  it('A03 do not count a finish that Redis has refused', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload('p-1')));
    const ends: string[] = [];
    const hooks: ConsumerHooks = { onAttemptEnded: ({ outcome }) => ends.push(outcome) };
    let runs = 0;
    await world.consumer(
      async () => {
        runs += 1;
        // The job has become another worker's, which lets it go again.
        if (runs === 1) {
          await redis.client.set(`${redis.prefix}:parcels:${id}:lock`, 'somebody else', 'PX', 300);
        }
      },
      { hooks, leaseMs: 2_000 },
    );
    await world.untilState(producer, id, 'completed');
    await expect.poll(async () => (await counted()).counts).toMatchObject({ started: 2, completed: 1 });
    expect([runs, ends]).toEqual([2, ['completed']]);
  });
});
