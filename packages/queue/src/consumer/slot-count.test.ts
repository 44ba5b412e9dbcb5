import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.js';
import { World } from '../../test/support/world.js';
import { SlotCount } from './slot-count.js';

const redis = useRedis();
const world = new World(redis);

describe('the number of slots', () => {
  it('doubles when the last free slot is taken, and halves after half were enough for 30 s', () => {
    const slots = new SlotCount({ min: 1, max: 10 }, 30_000, 0);
    const seen = (used: number, nowMs: number) => {
      slots.observe(used, nowMs);
      return slots.count;
    };
    expect([seen(1, 0), seen(2, 1), seen(4, 2), seen(8, 3)]).toEqual([2, 4, 8, 10]);
    expect([seen(5, 10_000), seen(5, 30_002), seen(5, 30_003)]).toEqual([10, 10, 5]);
    expect([seen(1, 60_002), seen(1, 60_003), seen(0, 90_003), seen(0, 200_000)]).toEqual([5, 3, 2, 1]);
  });

  it('does not follow every pause: what was needed within 30 s stays', () => {
    const slots = new SlotCount({ min: 1, max: 8 }, 30_000, 0);
    for (const used of [1, 2, 4]) slots.observe(used, 0);
    for (let nowMs = 0; nowMs < 600_000; nowMs += 1_000) {
      slots.observe(nowMs % 29_000 === 0 ? 5 : 0, nowMs);
      expect(slots.count).toBe(8);
    }
  });

  it('is at least 1, or nobody would see that there is work', () => {
    expect(new SlotCount({ min: 0, max: 2 }, 30_000, 0).count).toBe(1);
  });

  it('R9 grows while long jobs run, so that none waits for one of them to end, and shrinks when idle', async () => {
    const producer = world.producer();
    let running = 0;
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const consumer = await world.consumer(
      async () => {
        running += 1;
        await finished;
      },
      { queues: { parcels: { slots: { min: 1, max: 6 } } }, slotIdleMs: 100 },
    );
    expect(consumer.health().queues[0]).toMatchObject({ slots: 1 });
    for (let at = 0; at < 10; at += 1) {
      await producer.enqueue(world.job, { accountId: 'acme', parcel: `p-${at}` });
    }
    await until('six run', () => running === 6);
    expect(consumer.health().queues[0]).toMatchObject({ slots: 6, busy: 6 });
    finish();
    await until('all have run', () => running === 10);
    await until('one slot is left', () => consumer.health().queues[0]?.slots === 1);
  });
});
