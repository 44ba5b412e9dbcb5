import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { LaneBench } from './testing-support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

afterEach(async () => {
  await bench.close();
});

describe('runs that share a call', () => {
  it('count the start of a job whose old handler was refused in the same call', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 2);
    const stale = (await bench.take())!;
    const other = (await bench.take())!;
    await bench.stall(redis.client, stale);
    const backend = bench.worker.getBackend();
    const [refused, next] = await Promise.allSettled([
      backend.moveToCompleted(stale, 'late', false, stale.token!, true),
      backend.moveToCompleted(other, 'done', false, other.token!, true),
    ]);
    expect(refused).toMatchObject({ status: 'rejected' });
    expect(next).toMatchObject({ status: 'fulfilled', value: { result: { 1: stale.id } } });
    const again = (await bench.queue.getJob(stale.id!))!;
    expect(again).toMatchObject({ attemptsStarted: 2, attemptsMade: 0 });
    expect(await bench.queue.getJob(other.id!)).toMatchObject({ attemptsStarted: 1, attemptsMade: 1 });
  });
});
