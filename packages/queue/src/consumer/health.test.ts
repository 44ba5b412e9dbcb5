import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.js';
import { World } from '../../test/support/world.js';
import type { Consumer } from './consumer.js';
import { isStuck } from './health.js';

const redis = useRedis();
const world = new World(redis);

describe('a consume loop', () => {
  it.each([
    ['idle and asking', { busy: 0, lastPollAgeMs: 9_000 }, false],
    ['silent with a free slot for two leases', { busy: 4, lastPollAgeMs: 61_000 }, true],
    ['silent with a free slot for less', { busy: 4, lastPollAgeMs: 59_000 }, false],
    ['silent since every slot is busy', { busy: 5, lastPollAgeMs: 600_000 }, false],
  ])('%s', (_what, { busy, lastPollAgeMs }, stuck) => {
    expect(isStuck({ name: 'parcels', slots: 5, busy, lastPollAgeMs }, 30_000)).toBe(stuck);
  });

  it('is given ten seconds however short the lease', () => {
    const loop = { name: 'parcels', slots: 5, busy: 0 };
    expect(isStuck({ ...loop, lastPollAgeMs: 9_900 }, 500)).toBe(false);
    expect(isStuck({ ...loop, lastPollAgeMs: 10_100 }, 500)).toBe(true);
  });

  it('R7 asks again and again with nothing but held jobs and with an empty queue, and is not stuck', async () => {
    const operations = world.operations();
    await operations.pause('acme', 'an operator');
    const producer = world.producer();
    for (let at = 0; at < 20; at += 1) {
      await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` });
    }
    const consumer = await world.consumer(async () => undefined, {
      queues: { parcels: { slots: 2 }, letters: { slots: 1 } },
    });
    let polls = 0;
    const last = new Map<string, number>();
    await until('both have asked several times', () => {
      for (const { name, lastPollAgeMs } of consumer.health().queues) {
        expect(lastPollAgeMs).toBeLessThan(6_000);
        if (lastPollAgeMs < (last.get(name) ?? 0)) polls += 1;
        last.set(name, lastPollAgeMs);
      }
      return polls >= 6;
    });
    expect(consumer.health().stuck).toBe(false);
    expect(await producer.queueCounts('parcels')).toMatchObject({ held: 20, completed: 0 });
  });

  it('R9 is not silent for the time that every slot was busy, whose jobs bring the next ones along', async () => {
    const producer = world.producer();
    for (const parcel of ['p-1', 'p-2']) await producer.enqueue(world.job, { accountId: 'acme', parcel });
    const betweenJobs: { busy: number; lastPollAgeMs: number }[] = [];
    let finish: (() => void) | undefined;
    const parcels = () => consumer.health().queues.find(({ name }) => name === 'parcels')!;
    const consumer: Consumer = await world.consumer(
      () => new Promise<void>((resolve) => (finish = resolve)),
      {
        queues: { parcels: { slots: 1 } },
        hooks: { onAttemptEnded: () => void betweenJobs.push(parcels()) },
      },
    );
    await until('the loop has been silent for a second', () => parcels().lastPollAgeMs > 1_000);
    const first = finish;
    first?.();
    await until('the next job runs', () => finish !== first);
    finish?.();
    await until('both have ended', () => betweenJobs.length === 2);
    expect(betweenJobs[0]).toMatchObject({ busy: 0 });
    expect(betweenJobs[0]?.lastPollAgeMs).toBeLessThan(1_000);
  });
});
