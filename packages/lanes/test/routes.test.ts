import { FlowProducer, type Job } from 'bullmq';
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

/** Only B may run: what comes back of A must be held, in A's lane. */
async function holdA(): Promise<void> {
  await bench.lanes.pause('A', 'test');
}

async function expectHeldInA(count = 1): Promise<void> {
  expect(await bench.take()).toBeUndefined();
  expect((await bench.lanes.account('A')).counts).toMatchObject({
    held: count,
    ready: 0,
    active: 0,
    delayed: 0,
  });
  await bench.lanes.resume('A', 'test');
  for (let at = 0; at < count; at += 1) {
    const job = await bench.take();
    expect(job?.opts.lane?.account ?? job?.name).toBe('A');
  }
  expect(await bench.take()).toBeUndefined();
}

async function failed(job: Job): Promise<Job> {
  await job.moveToFailed(new Error('no'), job.token!, false);
  return job;
}

describe('every way back into work leads through the lane', () => {
  it('a retry without backoff', async () => {
    await bench.add('A', 1, {}, { attempts: 3 });
    const job = (await bench.take())!;
    await holdA();
    await failed(job);
    await expectHeldInA();
  });

  it("a retry with backoff, once it is due on the server's clock, in its old place", async () => {
    await bench.add('A', 3, {}, { attempts: 3, backoff: { type: 'fixed', delay: 1_000 } });
    const job = (await bench.take())!;
    await failed(job);
    expect((await bench.lanes.account('A')).counts).toMatchObject({ delayed: 1, ready: 2 });
    bench.nowMs = Date.now() + 1_100;
    expect((await bench.take())?.id).toBe(job.id);
  });

  it('a delayed job', async () => {
    await holdA();
    await bench.add('A', 1, {}, { delay: 1_000 });
    bench.nowMs = Date.now() + 1_100;
    await expectHeldInA();
  });

  it('a delayed job with a priority', async () => {
    await holdA();
    await bench.add('A', 1, {}, { delay: 1_000, priority: 4 });
    bench.nowMs = Date.now() + 1_100;
    await expectHeldInA();
  });

  it('a stalled job, next in its lane', async () => {
    await bench.add('A', 2);
    const job = (await bench.take())!;
    await bench.stall(redis.client, job);
    expect((await bench.take())?.id).toBe(job.id);
  });

  it('a promoted job', async () => {
    await holdA();
    const [job] = await bench.add('A', 1, {}, { delay: 100_000 });
    await job!.promote();
    await expectHeldInA();
  });

  it('all delayed jobs promoted at once', async () => {
    await holdA();
    await bench.add('A', 3, {}, { delay: 100_000 });
    await bench.queue.promoteJobs();
    await expectHeldInA(3);
  });

  it('a failed job retried, alone and in bulk', async () => {
    await bench.add('A', 2);
    const one = await failed((await bench.take())!);
    await failed((await bench.take())!);
    await holdA();
    await one.retry();
    await bench.queue.retryJobs();
    await expectHeldInA(2);
    expect(await redis.client.zcard(`${bench.prefix}::q:queue:x:f:A`)).toBe(0);
  });

  it('a completed job run again', async () => {
    await bench.add('A', 1);
    const job = (await bench.take())!;
    await bench.finish(job);
    await holdA();
    await job.retry('completed');
    await expectHeldInA();
    expect(await redis.client.llen(`${bench.prefix}::q:queue:x:c:A`)).toBe(0);
  });

  it('a job put back by its worker', async () => {
    await bench.add('A', 1);
    const job = (await bench.take())!;
    await holdA();
    await job.moveToWait(job.token!);
    await expectHeldInA();
  });

  it('a job whose priority changes', async () => {
    const [low, high] = await bench.add('A', 2, {}, { priority: 9 });
    await high!.changePriority({ priority: 1 });
    await low!.changePriority({ priority: 0 });
    expect((await bench.take())?.id).toBe(low!.id);
    expect((await bench.take())?.id).toBe(high!.id);
  });

  it('a parent whose children are done, in its own lane', async () => {
    const flows = new FlowProducer({ connection: bench.connection, prefix: bench.prefix }, bench.backend);
    await flows.add({
      name: 'parent',
      queueName: 'queue',
      opts: { lane: { account: 'A' } },
      children: [
        { name: 'child', queueName: 'queue', opts: { lane: { account: 'B' } } },
        { name: 'child', queueName: 'queue', opts: { lane: { account: 'B' } } },
      ],
    });
    await holdA();
    for (let at = 0; at < 2; at += 1) {
      const child = (await bench.take())!;
      expect(child.name).toBe('child');
      await bench.finish(child);
    }
    await expectHeldInA();
    await flows.close();
  });

  it('a parent in another queue of lanes, which wakes', async () => {
    const parents = bench.another('parents');
    const flows = new FlowProducer({ connection: bench.connection, prefix: bench.prefix }, bench.backend);
    await flows.add({
      name: 'parent',
      queueName: 'parents',
      opts: { lane: { account: 'A' } },
      children: [{ name: 'child', queueName: 'queue', opts: { lane: { account: 'B' } } }],
    });
    await bench.finish((await bench.take())!);
    expect(await redis.client.zscore(`${bench.prefix}:parents:marker`, '0')).toBe('0');
    expect((await bench.take(parents.worker))?.name).toBe('parent');
    await flows.close();
  });

  it('a parent in a plain queue stays in that queue', async () => {
    const { Queue } = await import('bullmq');
    const plain = new Queue('plain', { connection: bench.connection, prefix: bench.prefix });
    const parent = await plain.add('parent', {}, { delay: 0 });
    const flows = new FlowProducer({ connection: bench.connection, prefix: bench.prefix });
    await flows.add({
      name: 'parent',
      queueName: 'plain',
      children: [{ name: 'A', queueName: 'queue', opts: { lane: { account: 'A' } } }],
    });
    expect(await plain.getWaitingCount()).toBe(1);
    await bench.finish((await bench.take()) ?? (await bench.take())!);
    expect(await plain.getWaitingCount()).toBe(2);
    expect(await redis.client.llen(`${bench.prefix}:plain:wait`)).toBe(2);
    await parent.remove();
    await Promise.all([plain.close(), flows.close()]);
  });

  it('the iterations of a scheduler', async () => {
    await bench.queue.upsertJobScheduler(
      'tick',
      { every: 60_000 },
      { name: 'A', opts: { lane: { account: 'A' } } },
    );
    await holdA();
    bench.nowMs = Date.now() + 1_000;
    await expectHeldInA();
  });

  it('the successor of a deduplicated job', async () => {
    const opts = { deduplication: { id: 'one', keepLastIfActive: true }, lane: { account: 'A' } };
    await bench.queue.add('A', { n: 1 }, opts);
    const job = (await bench.take())!;
    await bench.queue.add('A', { n: 2 }, opts);
    await holdA();
    await bench.finish(job);
    await expectHeldInA();
  });

  it('jobs of a plain producer', async () => {
    const { Queue } = await import('bullmq');
    const plain = new Queue('queue', { connection: bench.connection, prefix: bench.prefix });
    await plain.add('shared', {});
    await plain.add('A', {}, { lane: { account: 'A' } });
    await bench.add('B');
    const names = [];
    for (let job = await bench.take(); job; job = await bench.take()) {
      names.push(job.name);
    }
    expect(names.toSorted()).toEqual(['A', 'B', 'shared']);
    await plain.close();
  });

  it('a queue that is paused and resumed', async () => {
    await bench.add('A', 2);
    await bench.queue.pause();
    expect(await bench.take()).toBeUndefined();
    await bench.queue.resume();
    expect(await redis.client.zscore(`${bench.prefix}:queue:marker`, '0')).toBe('0');
    expect((await bench.take())?.name).toBe('A');
  });
});

describe('the end of a job', () => {
  it('drains no queue with held jobs, also where retention removes a child of the job', async () => {
    const { connection, prefix } = bench;
    const flow = bench.also(new FlowProducer({ connection, prefix }, bench.backend));
    const opts = { lane: { account: 'B' } };
    const child = { name: 'child', queueName: 'queue', opts };
    await flow.add({ name: 'parent', queueName: 'queue', opts, children: [child] });
    await holdA();
    await bench.add('A', 1, {}, { priority: 1 });
    await bench.serve(1);
    const parent = (await bench.take())!;
    bench.nowMs += 1;
    await bench.worker.getBackend().moveToCompleted(parent, 'done', { count: 1 }, parent.token!, true);
    expect(await bench.queue.getCompletedCount()).toBe(1);
    const events = await redis.client.xrange(`${prefix}:queue:events`, '-', '+');
    expect(events.map(([, fields]) => fields[1])).not.toContain('drained');
  });

  it('frees its claim for the job that its worker gets, also where it fails its parent', async () => {
    const { connection, prefix } = bench;
    const flow = bench.also(new FlowProducer({ connection, prefix }, bench.backend));
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    const opts = { lane: { account: 'A' } };
    const child = { name: 'child', queueName: 'queue', opts: { ...opts, failParentOnFailure: true } };
    await flow.add({ name: 'parent', queueName: 'queue', opts, children: [child] });
    const job = (await bench.take())!;
    const end = await bench.worker.getBackend().moveToFailed(job, 'no', false, job.token!, true);
    expect(end).toMatchObject({ result: { 0: { name: 'parent' } } });
    expect(await bench.lanes.audit({ patienceMs: 0 })).toMatchObject({ countsCorrected: 0, lanesOpened: 0 });
  });
});
