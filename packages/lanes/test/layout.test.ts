import { useRedis } from '@fairlane/testkit/vitest';
import type { Job } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from './support/lane-bench.js';
import { readKeys } from './support/key-change.js';

const redis = useRedis();
let bench: LaneBench;
let active: Job;

/** A queue with a waiting and an active job, whose state another version has written. */
beforeEach(async () => {
  bench = new LaneBench(redis);
  await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
  await bench.add('A', 2);
  active = (await bench.take())!;
  const meta = `${bench.prefix}:queue:meta`;
  const state = (await redis.client.hgetBuffer(meta, 'lane:s'))!;
  state.writeUInt8(state.readUInt8(0) + 1, 0);
  await redis.client.hset(meta, 'lane:s', state);
});

afterEach(async () => {
  await bench.close();
});

describe('a queue that another version has written', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['an add', async () => bench.add('A')],
    ['a take', async () => bench.take()],
    ['a finish', async () => bench.finish(active)],
    ['a removal', async () => bench.queue.remove('2')],
    ['a change of limits', async () => bench.lanes.setLimits('A', 'default', { maxInFlight: 2 })],
    ['a question', async () => bench.lanes.account('A')],
  ])('R1: is left alone by %s, which says why', async (_what, act) => {
    const before = await readKeys(redis.client, bench.prefix);
    await expect(act()).rejects.toThrow(
      /^LANES_LAYOUT the queue \S+:queue: was written by another version of @fairlane\/lanes/,
    );
    expect(await readKeys(redis.client, bench.prefix)).toEqual(before);
  });
});
