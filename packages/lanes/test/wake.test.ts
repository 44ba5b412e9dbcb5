import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineOwnCommands, runOwn } from '../src/redis/connection.js';
import { laneKeys } from '../src/redis/keys.js';
import { LaneBench } from './support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;
let startedAt: number;

beforeEach(() => {
  bench = new LaneBench(redis);
  startedAt = bench.nowMs;
  defineOwnCommands(redis.client);
});

afterEach(async () => bench.close());

/** What workers are to hear next: whether one is woken, and the time that one is told of. Nothing afterwards. */
async function markers(queue = 'queue'): Promise<{ wakes: boolean; tells: number | undefined }> {
  const key = `${bench.prefix}:${queue}:marker`;
  const [now, later] = await redis.client.zmscore(key, '0', '1');
  await redis.client.del(key);
  return { wakes: now !== null, tells: later === null ? undefined : Number(later) };
}

/** A process that was told of this time finds that it has come. */
async function wake(due: number): Promise<unknown> {
  const base = laneKeys(bench.prefix).base('queue');
  return runOwn(redis.client, 'wake', base, [], [due], String(bench.nowMs));
}

/** An account whose only token is spent, with one more job. */
async function closeGate(account: string, perMs: number): Promise<void> {
  await bench.lanes.setLimits(account, 'default', { limit: 1, perMs });
  await bench.add(account, 2);
  await bench.take();
}

describe('a time that was told', () => {
  it('R7: wakes one worker, however many processes have waited for it', async () => {
    await closeGate('A', 10_000);
    await markers();
    bench.nowMs += 10_000;
    expect(await wake(bench.nowMs)).toEqual([0, bench.nowMs]);
    expect(await markers()).toEqual({ wakes: true });
    expect(await wake(bench.nowMs)).toEqual([0, bench.nowMs]);
    expect(await markers()).toEqual({ wakes: false });
  });

  it('R8: is followed by the next one', async () => {
    await closeGate('A', 10_000);
    const [delayed] = await bench.add('C', 1, {}, { delay: 15_000 });
    await closeGate('B', 20_000);
    const times = [startedAt + 10_000, delayed!.timestamp + 15_000, startedAt + 20_000];
    for (const [nth, due] of times.entries()) {
      bench.nowMs = due;
      expect(await wake(due)).toEqual([times[nth + 1] ?? 0, due]);
    }
  });

  it('R8: is waited for again by a process whose clock is fast', async () => {
    await closeGate('A', 10_000);
    await markers();
    bench.nowMs = startedAt + 9_990;
    expect(await wake(startedAt + 10_000)).toEqual([startedAt + 10_000, bench.nowMs]);
    expect(await markers()).toEqual({ wakes: false });
  });

  it('R8: wakes a worker though the clock of the server has been set back since the last one', async () => {
    await closeGate('A', 10_000);
    bench.nowMs = startedAt + 60_000;
    await wake(bench.nowMs);
    bench.nowMs = startedAt + 10_000;
    await markers();
    await wake(bench.nowMs);
    expect(await markers()).toEqual({ wakes: true });
  });
});

describe('one idle worker is told when something becomes due', () => {
  it('R8: when another one has taken the last job that may run now', async () => {
    await closeGate('A', 10_000);
    expect(await markers()).toMatchObject({ tells: startedAt + 10_000 });
  });

  it('R8: when a job is added to a lane that is closed', async () => {
    await bench.lanes.closeGate('A', 'default', startedAt + 10_000);
    await markers();
    await bench.add('A');
    expect(await markers()).toEqual({ wakes: false, tells: startedAt + 10_000 });
  });

  it('R8: when a claim that ends in another queue leaves a lane closed until a time', async () => {
    const other = bench.another('other');
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 10_000, maxInFlight: 1 });
    await bench.add('A');
    const job = (await bench.take())!;
    await other.queue.add('A', {}, { lane: { account: 'A' } });
    await markers('other');
    await bench.finish(job);
    expect(await markers('other')).toEqual({ wakes: false, tells: startedAt + 10_000 });
  });

  it('R8: of what is due first, though something else becomes due later', async () => {
    await closeGate('A', 10_000);
    await closeGate('B', 60_000);
    expect(await markers()).toMatchObject({ tells: startedAt + 10_000 });
  });
});
