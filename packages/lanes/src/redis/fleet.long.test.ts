import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it } from 'vitest';
import { laneKeys } from './keys.js';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();

it('a worker whose place in the fleet was lost takes it again within a minute', async () => {
  const bench = new LaneBench(redis, { upkeep: true });
  const key = laneKeys(bench.prefix).workers(bench.name);
  await expect.poll(async () => redis.client.scard(key)).toBe(1);
  await redis.client.del(key);
  await expect.poll(async () => redis.client.scard(key), { timeout: 60_000, interval: 500 }).toBe(1);
  await bench.close();
});
