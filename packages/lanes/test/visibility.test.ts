import { QueueEvents } from 'bullmq';
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

async function laneKeys(): Promise<string[]> {
  const keys = await redis.client.keys(`${bench.prefix}::q:*`);
  return keys.filter((key) => !key.endsWith(':w')).toSorted();
}

describe("held jobs in BullMQ's getters", () => {
  it("are waiting ones, in their lane's order, page by page", async () => {
    await bench.lanes.pause('A', 'test');
    const jobs = await bench.add('A', 7);
    const ids = jobs.map((job) => job.id!);
    expect(await bench.queue.getWaitingCount()).toBe(7);
    expect(await bench.queue.getJobCounts('wait', 'active')).toEqual({ wait: 7, active: 0 });
    expect((await bench.queue.getWaiting()).map((job) => job.id)).toEqual(ids);
    expect((await bench.queue.getJobs(['waiting'], 2, 4, true)).map((job) => job.id)).toEqual(
      ids.slice(2, 5),
    );
    expect((await bench.queue.getJobs(['waiting'], 0, 1)).map((job) => job.id)).toEqual([ids[6], ids[5]]);
    expect(await jobs[3]!.getState()).toBe('waiting');
    expect(await jobs[3]!.isWaiting()).toBe(true);
  });

  it('pages over many lanes hold every job once', async () => {
    const all = new Set<string>();
    for (let account = 0; account < 30; account += 1) {
      for (const job of await bench.add(`account-${account}`, 3)) {
        all.add(job.id!);
      }
    }
    await bench.lanes.pause('account-7', 'test');
    const seen: string[] = [];
    for (let from = 0; from < 90; from += 7) {
      seen.push(...(await bench.queue.getJobs(['waiting'], from, from + 6)).map((job) => job.id!));
    }
    expect(seen).toHaveLength(90);
    expect(new Set(seen)).toEqual(all);
  });

  it("begin with the job that runs next; another account's that is held comes last", async () => {
    await bench.lanes.pause('C', 'test');
    const [held] = await bench.add('C');
    const [, second] = await bench.add('A', 2);
    await bench.take();
    const [next] = await bench.add('B');
    const inTurn = [next!.id, second!.id, held!.id];
    expect((await bench.queue.getWaiting()).map((job) => job.id)).toEqual(inTurn);
    expect((await bench.queue.getJobs(['waiting'])).map((job) => job.id)).toEqual(inTurn.toReversed());
    expect((await bench.take())!.id).toBe(next!.id);
  });

  it('count by priority', async () => {
    await bench.add('A', 2);
    await bench.add('B', 3, {}, { priority: 5 });
    expect(await bench.queue.getCountsPerPriority([0, 5])).toEqual({ 0: 2, 5: 3 });
    expect((await bench.queue.getPrioritized()).map((job) => job.name)).toEqual(['B', 'B', 'B']);
  });

  it('keep a queue from being drained', async () => {
    const events = new QueueEvents(
      'queue',
      { connection: bench.connection, prefix: bench.prefix },
      bench.backend,
    );
    await events.waitUntilReady();
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000 });
    await bench.add('A', 2);
    await bench.finish((await bench.take())!);
    const stream = async (): Promise<string[]> =>
      (await redis.client.xrange(`${bench.prefix}:queue:events`, '-', '+')).map(([, fields]) => fields[1]!);
    expect(await stream()).not.toContain('drained');
    bench.nowMs += 1_000;
    await bench.finish((await bench.take())!);
    expect(await stream()).toContain('drained');
    await events.close();
  });

  it('survive the removal of orphans', async () => {
    const [job] = await bench.add('A', 2);
    expect(await bench.queue.removeOrphanedJobs()).toBe(0);
    expect(await job!.getState()).toBe('waiting');
  });

  it('are not among the options of the queue', async () => {
    await bench.add('A');
    expect(Object.keys(await bench.queue.getMeta()).filter((field) => field.includes('lane'))).toEqual([]);
  });
});

describe('what removes jobs leaves nothing behind', () => {
  it('remove', async () => {
    const jobs = [
      ...(await bench.add('A', 2, { tag: 'spring' })),
      ...(await bench.add('A', 1, { tag: 'spring' }, { priority: 3 })),
      ...(await bench.add('A', 1, { tag: 'spring' }, { delay: 60_000 })),
    ];
    const [done, broken] = [(await bench.take())!, (await bench.take())!];
    await bench.finish(done);
    await broken.moveToFailed(new Error('no'), broken.token!, false);
    for (const job of jobs) {
      await job.remove();
    }
    expect(await bench.take()).toBeUndefined();
    expect(await laneKeys()).toEqual([]);
  });

  it.each([
    ['drain', async () => bench.queue.drain(true)],
    [
      'clean',
      async () => {
        for (const state of ['wait', 'prioritized', 'delayed'] as const) {
          await bench.queue.clean(-1_000, 0, state);
        }
      },
    ],
  ])('%s', async (_name, remove) => {
    for (const account of ['A', 'B']) {
      await bench.add(account, 5);
      await bench.add(account, 2, {}, { priority: 3 });
      await bench.add(account, 2, {}, { delay: 60_000 });
    }
    await bench.lanes.pause('B', 'test');
    await remove();
    expect(await bench.queue.getJobCounts('wait', 'prioritized', 'delayed')).toEqual({
      wait: 0,
      prioritized: 0,
      delayed: 0,
    });
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 0, held: 0 });
    await bench.lanes.resume('B', 'test');
    expect(await bench.take()).toBeUndefined();
    expect(await bench.take()).toBeUndefined();
    expect(await laneKeys()).toEqual([]);
  });

  it('clean takes the oldest first, up to its limit', async () => {
    const jobs = await bench.add('A', 5);
    expect((await bench.queue.clean(-1_000, 2, 'wait')).toSorted()).toEqual([jobs[0]!.id, jobs[1]!.id]);
    expect((await bench.take())?.id).toBe(jobs[2]!.id);
  });

  it('obliterate', async () => {
    await bench.add('A', 5, { tag: 'spring' });
    await bench.add('B', 2, {}, { priority: 3 });
    await bench.add('B', 2, {}, { delay: 60_000 });
    await bench.finish((await bench.take())!);
    await bench.lanes.pause('B', 'test');
    await bench.queue.obliterate({ force: true });
    expect(await laneKeys()).toEqual([]);
    expect((await redis.client.keys(`${bench.prefix}:queue:*`)).toSorted()).toEqual([]);
    expect(await bench.lanes.queues()).toEqual([]);
  });

  it('obliterate while a job runs keeps its claim until lease and grace are over', async () => {
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    await bench.take();
    await bench.queue.obliterate({ force: true });
    await bench.add('A', 1);
    expect(await bench.take()).toBeUndefined();
    await bench.lanes.audit({ patienceMs: 1_000 });
    bench.nowMs += 1_000;
    expect(await bench.lanes.audit({ patienceMs: 1_000 })).toMatchObject({ claimsFreed: 1 });
    expect(await bench.take()).toBeDefined();
  });

  it.each([[true], [{ count: 1 }]])("BullMQ's own retention %j", async (removeOnComplete) => {
    await bench.add('A', 3, { tag: 'spring' }, { removeOnComplete });
    await bench.serve(3);
    const kept = removeOnComplete === true ? 0 : 1;
    expect(await redis.client.llen(`${bench.prefix}::q:queue:x:c:A`)).toBe(kept);
    expect(await redis.client.zcard(`${bench.prefix}::q:queue:x:t:spring`)).toBe(kept);
  });

  it('our retention, by age and count, telling which', async () => {
    await bench.add('A', 5);
    await bench.serve(5);
    const trimmed: string[] = [];
    bench.nowMs = Date.now() + 1_000;
    await bench.lanes.trim('queue', 'completed', { ageMs: 60_000, count: 2 }, (ids) => trimmed.push(...ids));
    expect(trimmed).toHaveLength(3);
    expect((await bench.lanes.jobs({ account: 'A' })).items).toHaveLength(2);
    bench.nowMs += 120_000;
    expect(await bench.lanes.trim('queue', 'completed', { ageMs: 60_000 })).toBe(2);
    expect(await redis.client.exists(`${bench.prefix}::q:queue:x:c:A`)).toBe(0);
  });
});
