import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from './support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis);
});

afterEach(async () => {
  await bench.close();
});

describe('a lane held for a costly job', () => {
  it('R9: opens when that is removed and the next costs less', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 3_600_000, burst: 3 });
    await bench.add('A', 1, { cost: 2 });
    const [costly] = await bench.add('A', 1, { cost: 2 });
    const [cheap] = await bench.add('A', 1, { cost: 1 });
    await bench.take();
    expect(await bench.take()).toBeUndefined();
    await costly!.remove();
    expect((await bench.take())?.id).toBe(cheap!.id);
  });

  describe('R9: opens when one that costs less comes before it', () => {
    beforeEach(async () => {
      await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 3_600_000, burst: 2 });
    });

    it('back from a worker that has died', async () => {
      const [cheap] = await bench.add('A');
      await bench.add('A', 1, { cost: 2 });
      const taken = (await bench.take())!;
      expect(await bench.take()).toBeUndefined();
      await bench.stall(redis.client, taken);
      expect((await bench.take())?.id).toBe(cheap!.id);
    });

    it.each([
      ['last in, first out', 0, { lifo: true }],
      ['by its priority', 5, { priority: 3 }],
      ['without a priority, which goes before all that have one', 5, {}],
    ])('%s', async (_how, priority, opts) => {
      await bench.add('A');
      await bench.add('A', 1, { cost: 2 }, { priority });
      await bench.take();
      expect(await bench.take()).toBeUndefined();
      const [cheap] = await bench.add('A', 1, {}, opts);
      expect((await bench.take())?.id).toBe(cheap!.id);
    });
  });
});
