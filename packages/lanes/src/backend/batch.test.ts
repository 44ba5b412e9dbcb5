import { useRedis } from '@fairlane/testkit/vitest';
import { Worker, type Job } from 'bullmq';
import { afterEach, describe, expect, it } from 'vitest';
import { countedClaims } from '../../test/support/gate-record.js';
import { LaneBench, SLOTS } from '../../test/support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

afterEach(async () => {
  await bench.close();
});

/** Ends jobs in one turn; `next`: and asks for others in their place. */
async function end(jobs: (Job | undefined)[], next: boolean) {
  const backend = bench.worker.getBackend();
  return Promise.all(
    jobs.map(async (job) => backend.moveToCompleted(job!, 'done', false, job!.token!, next)),
  );
}

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

  it('add each job to its own lane, in the order they were asked for', async () => {
    bench = new LaneBench(redis);
    await bench.queue.add('first', {}, { lane: { account: 'A' } });
    const names = ['A', 'B', 'A', 'B', 'A', ''];
    const jobs = await Promise.all(
      names.map((account, at) =>
        bench.queue.add(`${account}${at}`, { at }, account === '' ? {} : { lane: { account } }),
      ),
    );
    expect(new Set(jobs.map((job) => job.id)).size).toBe(names.length);
    expect(await bench.serve(10)).toEqual(['first', 'B1', '5', 'A0', 'B3', 'A2', 'A4']);
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 0, held: 0, completed: 7 });
  });

  it('add jobs for later and jobs of a priority, each kind in a call of its own', async () => {
    bench = new LaneBench(redis);
    const kinds = [{ delay: 1_000 }, { priority: 2 }, {}];
    await Promise.all(
      [...kinds, ...kinds].map((opts, at) =>
        bench.queue.add(`job ${at}`, {}, { ...opts, lane: { account: 'A' } }),
      ),
    );
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 4, delayed: 2 });
    expect(await bench.serve(4)).toEqual(['job 2', 'job 5', 'job 1', 'job 4']);
    bench.nowMs += 60_000;
    expect(await bench.serve(3)).toEqual(['job 0', 'job 3']);
  });

  it('leave the others alone when one of them is refused', async () => {
    bench = new LaneBench(redis);
    const parent = { id: 'nobody', queue: `${bench.prefix}:queue` };
    const [orphan, job] = await Promise.allSettled([
      bench.queue.add('orphan', {}, { parent, lane: { account: 'A' } }),
      bench.queue.add('job', {}, { lane: { account: 'A' } }),
    ]);
    expect(orphan).toMatchObject({ status: 'rejected', reason: { message: /Missing key for parent job/ } });
    expect(job).toMatchObject({ status: 'fulfilled' });
    expect(await bench.serve(2)).toEqual(['job']);
  });

  it('count each of their ends in the metrics of its kind', async () => {
    bench = new LaneBench(redis);
    const { connection, prefix, name } = bench;
    const metrics = { maxDataPoints: 10 };
    const worker = bench.also(
      new Worker(
        name,
        async () => undefined,
        { connection, prefix, autorun: false, metrics, concurrency: SLOTS },
        bench.backend,
      ),
    );
    await bench.add('A', 3);
    const [first, second, third] = [await bench.take(), await bench.take(), await bench.take()];
    const backend = worker.getBackend();
    await Promise.all([
      backend.moveToCompleted(first!, 'done', false, first!.token!, false),
      backend.moveToFailed(second!, 'broken', false, second!.token!, false),
      backend.moveToCompleted(third!, 'done', false, third!.token!, false),
    ]);
    expect(await bench.queue.getMetrics('completed')).toMatchObject({ meta: { count: 2 } });
    expect(await bench.queue.getMetrics('failed')).toMatchObject({ meta: { count: 1 } });
  });

  it.each([
    ['and each that is taken', true, 2],
    ['where none is taken', false, 0],
  ])('R4: count each claim that ends once, %s', async (_what, next, left) => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 3 });
    await bench.add('A', 6);
    await end([await bench.take(), await bench.take()], next);
    expect(await countedClaims(redis.client, bench.prefix, 'A')).toBe(left);
  });

  it.each([1, 2])(
    'R4: end the claims of %d finishes that are refused, since their locks are lost',
    async (count) => {
      bench = new LaneBench(redis);
      await bench.lanes.setLimits('A', 'default', { maxInFlight: count });
      await bench.add('A', count + 1);
      const jobs = [await bench.take(), count > 1 ? await bench.take() : undefined].filter(Boolean);
      for (const job of jobs) await redis.client.del(`${bench.prefix}:queue:${job!.id!}:lock`);
      await expect(end(jobs, true)).rejects.toThrow('Missing lock');
      await expect.poll(async () => countedClaims(redis.client, bench.prefix, 'A')).toBe(0);
      expect(await bench.take()).toBeDefined();
    },
  );

  it('R9: open a full lane for the next one of them', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    await bench.add('B', 1);
    const [first, second] = [await bench.take(), await bench.take()];
    expect([first!.name, second!.name]).toEqual(['A', 'B']);
    const replies = await end([first, second], true);
    expect(replies.map(({ result }) => result?.[1]).filter(Boolean)).toEqual(['2']);
  });

  it('R6, R9: open a full lane before the next job is chosen', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    await bench.add('B', 4);
    const jobs = [await bench.take(), await bench.take(), await bench.take()];
    expect(jobs.map((job) => job!.name)).toEqual(['A', 'B', 'B']);
    const replies = await end(jobs.slice(0, 2), true);
    expect(replies.map(({ result }) => result?.[1])).toEqual(['2', '5']);
  });

  it('R4, R9: leave their room to the next ones where jobs are looked at first', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 2 });
    await bench.add('A');
    await bench.add('B');
    const jobs = [await bench.take(), await bench.take()];
    await bench.add('A', 2);
    await bench.add('C', 1, { cost: 2 }, { delay: 60_000 });
    const replies = await end(jobs, true);
    expect(replies.map(({ result }) => result?.[1])).toEqual(['3', '4']);
  });

  it.each([1, 2])('R11: end the claims of %d finishes that Redis breaks off', async (count) => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: count });
    await bench.add('A', count);
    const jobs = await Promise.all(Array.from({ length: count }, async () => bench.take()));
    await redis.client.set(`${bench.prefix}:queue:completed`, 'no set');
    await expect(end(jobs, true)).rejects.toThrow('WRONGTYPE');
    await expect.poll(async () => countedClaims(redis.client, bench.prefix, 'A')).toBe(0);
  });

  it('leave the others alone when one of them throws', async () => {
    bench = new LaneBench(redis);
    await redis.client.set(`${bench.prefix}:queue:taken`, 'no job');
    const add = (jobId: string) => bench.queue.add('A', {}, { jobId, lane: { account: 'A' } });
    const [before, broken, behind] = await Promise.allSettled([add('one'), add('taken'), add('two')]);
    expect(before).toMatchObject({ status: 'fulfilled' });
    expect(broken).toMatchObject({ status: 'rejected', reason: { message: /WRONGTYPE/ } });
    expect(behind).toMatchObject({ status: 'fulfilled', value: { id: 'two' } });
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 2 });
  });

  it('are sent before the queue closes, also those that nobody awaits', async () => {
    bench = new LaneBench(redis);
    const { queue } = bench.another('closing');
    await queue.waitUntilReady();
    const adds = Promise.allSettled([
      queue.add('A', {}, { lane: { account: 'A' } }),
      queue.add('B', {}, { lane: { account: 'B' } }),
    ]);
    await queue.close();
    expect(await adds).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await bench.lanes.queueCounts('closing')).toMatchObject({ ready: 2 });
  });
});
