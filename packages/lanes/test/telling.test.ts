import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from './support/lane-bench.js';
import { readQueueState } from './support/queue-state.js';

const redis = useRedis();

describe('of several workers one is told when something becomes due', () => {
  let bench: LaneBench;

  beforeEach(() => {
    bench = new LaneBench(redis);
  });

  afterEach(async () => bench.close());

  /** What the queue keeps of the one that was told: of which time, and until when it is relied on. */
  async function told(): Promise<[due: number, reliedOnUntil: number]> {
    const { w, r } = (await readQueueState(redis.client, bench.prefix, 'queue'))!;
    return [w, r];
  }

  it.each([
    ['every second', 3_000, 1_000],
    ['in the last three seconds only, where that is later', 10_000, 7_000],
  ])('R8: and another one when the first may have died: %s', async (_when, perMs, reliedOnMs) => {
    const startedAt = bench.nowMs;
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs });
    await bench.add('A', 2);
    await bench.take();
    expect(await told()).toEqual([startedAt + perMs, startedAt + reliedOnMs]);
    bench.nowMs = startedAt + reliedOnMs - 1;
    expect(await bench.take()).toBeUndefined();
    expect(await told()).toEqual([startedAt + perMs, startedAt + reliedOnMs]);
    bench.nowMs = startedAt + reliedOnMs;
    expect(await bench.take()).toBeUndefined();
    expect(await told()).toEqual([startedAt + perMs, startedAt + reliedOnMs + 1_000]);
  });

  it('R8: and another one of what is due before that', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 10_000 });
    await bench.lanes.setLimits('B', 'default', { limit: 1, perMs: 2_000 });
    for (const account of ['A', 'B']) {
      await bench.add(account, 2);
      await bench.take();
    }
    expect((await told())[0]).toBe(bench.nowMs + 2_000);
  });

  it('R8: and what is due first is not forgotten for what is due later', async () => {
    const startedAt = bench.nowMs;
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 3_000 });
    await bench.lanes.setLimits('B', 'default', { limit: 1, perMs: 60_000 });
    await bench.add('A', 2);
    await bench.take();
    bench.nowMs = startedAt + 1_000;
    await bench.add('B', 2);
    await bench.take();
    expect(await told()).toEqual([startedAt + 3_000, startedAt + 2_000]);
  });
});
