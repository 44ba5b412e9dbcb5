import { Queue, Worker } from 'bullmq';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { createLaneBackend, createLanes } from '../src/index.js';

const redis = useRedis();
const backend = createLaneBackend();
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => each.close()));
});

function keep<T extends { close(): Promise<unknown> }>(each: T): T {
  open.push(each);
  return each;
}

function place(): { connection: { url: string }; prefix: string } {
  return { connection: { url: redis.url }, prefix: redis.prefix };
}

const ACCOUNTS = ['A', 'B', 'C', undefined];

async function fill(queue: Queue, count: number): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let from = 0; from < count; from += 500) {
    const jobs = await queue.addBulk(
      Array.from({ length: Math.min(500, count - from) }, (_, index) => {
        const at = from + index;
        const account = ACCOUNTS[at % ACCOUNTS.length];
        return {
          name: 'job',
          data: {},
          opts: {
            ...(account === undefined ? {} : { lane: { account } }),
            ...(at % 10 === 3 ? { delay: 50 } : {}),
            ...(at % 10 === 7 ? { priority: 1 + (at % 3) } : {}),
          },
        };
      }),
    );
    jobs.forEach((job) => ids.add(job.id!));
  }
  return ids;
}

async function refusal(errors: readonly unknown[]): Promise<void> {
  await expect
    .poll(() => errors)
    .toContainEqual(
      expect.objectContaining({
        code: 'mixed_fleet',
        message: expect.stringMatching(/old.*Stop the plain/),
      }),
    );
}

describe('moving in and out', () => {
  it('a live plain queue of 10,000 jobs is taken over and handed back, none lost or doubled', async () => {
    const ran: string[] = [];
    const processor = async (job: { id?: string | undefined }): Promise<void> => {
      ran.push(job.id!);
    };
    const plain = keep(new Queue('queue', place()));
    const ids = await fill(plain, 10_000);
    const old = keep(new Worker('queue', processor, { ...place(), concurrency: 20 }));
    await expect.poll(() => ran.length).toBeGreaterThan(500);
    await old.close();

    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    await lanes.pause('A', 'test');
    await lanes.adoptQueue('queue');
    const done = ran.length;
    const counts = await lanes.queueCounts('queue');
    expect(counts.ready + counts.held + counts.delayed + done).toBe(10_000);
    const laned = keep(new Worker('queue', processor, { ...place(), concurrency: 20 }, backend));
    await expect.poll(() => ran.length).toBeGreaterThan(done + 2_000);
    await laned.close();
    expect((await lanes.account('A')).counts.held).toBeGreaterThan(0);

    await plain.pause();
    await lanes.releaseQueue('queue');
    expect(await redis.client.keys(`${redis.prefix}::q:*`)).toEqual([]);
    await plain.resume();
    keep(new Worker('queue', processor, { ...place(), concurrency: 20 }));
    await expect.poll(() => ran.length, { timeout: 60_000 }).toBe(10_000);
    expect(new Set(ran)).toEqual(ids);
  }, 120_000);

  it('an adopted job that was active under a plain worker comes back into its lane', async () => {
    const plain = keep(new Queue('queue', place()));
    const old = keep(new Worker('queue', null, { ...place(), lockDuration: 1_000, skipLockRenewal: true }));
    await plain.add('job', {}, { lane: { account: 'A' } });
    const job = await old.getNextJob('token');
    await old.close(true);
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    await lanes.adoptQueue('queue');
    const ran: string[] = [];
    keep(
      new Worker(
        'queue',
        async (each) => {
          ran.push(each.id!);
        },
        { ...place(), stalledInterval: 300 },
        backend,
      ),
    );
    await expect.poll(() => ran).toEqual([job.id]);
    expect((await lanes.account('A')).counts).toMatchObject({ completed: 1, active: 0 });
  });

  it('refuses to take over while plain workers are connected, and names them', async () => {
    keep(new Queue('queue', place()));
    const old = keep(new Worker('queue', async () => undefined, { ...place(), name: 'old' }));
    await old.waitUntilReady();
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    // At once: it has only just connected.
    await expect(lanes.adoptQueue('queue')).rejects.toMatchObject({
      code: 'mixed_fleet',
      message: expect.stringContaining('old'),
    });
  });

  it('a worker with lanes takes no further job beside a plain worker, and goes on when that is gone', async () => {
    const errors: unknown[] = [];
    const ran: string[] = [];
    const queue = keep(new Queue('queue', place(), backend));
    const run = async (job: { name: string }): Promise<void> => {
      ran.push(job.name);
    };
    const laned = keep(new Worker('queue', run, place(), backend));
    laned.on('error', (error) => errors.push(error));
    await queue.add('before', {}, { lane: { account: 'A' } });
    await expect.poll(() => ran).toEqual(['before']);

    const plain = keep(new Worker('queue', null, { ...place(), name: 'old' }));
    await plain.waitUntilReady();
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    await refusal(errors);
    const jobs = await queue.addBulk(
      ['A', 'B', 'A'].map((account) => ({ name: 'after', data: {}, opts: { lane: { account } } })),
    );
    // Asked as its own loop would, with more settings and an audit in between.
    await lanes.setLimits('B', 'default', { limit: 1_000, perMs: 1 });
    await lanes.audit({ patienceMs: 0 });
    expect(await laned.getNextJob('token', { block: false })).toBeUndefined();
    expect(await queue.getWaitingCount()).toBe(jobs.length);
    expect(ran).toEqual(['before']);

    await plain.close();
    await expect.poll(() => ran).toEqual(['before', 'after', 'after', 'after']);
  });

  it('a worker with lanes that starts beside a plain one refuses from the start, and takes none of its jobs', async () => {
    const plainQueue = keep(new Queue('queue', place()));
    const plain = keep(new Worker('queue', null, { ...place(), name: 'old' }));
    await plain.waitUntilReady();
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    await expect.poll(async () => lanes.plainWorkers('queue')).toHaveLength(1);
    const waiting = await plainQueue.add('job', {}, { lane: { account: 'A' } });
    const errors: unknown[] = [];
    const ran: string[] = [];
    const laned = keep(
      new Worker('queue', async (job) => void ran.push(job.id!), { ...place(), autorun: false }, backend),
    );
    laned.on('error', (error) => errors.push(error));
    expect(await laned.getNextJob('token', { block: false })).toBeUndefined();
    await refusal(errors);
    expect(await redis.client.lrange(`${redis.prefix}:queue:wait`, 0, -1)).toEqual([waiting.id]);

    await plain.close();
    const running = laned.run();
    await expect.poll(() => ran).toEqual([waiting.id]);
    await laned.close();
    await running;
  });

  it('does not take its own workers for plain ones', async () => {
    const queue = keep(new Queue('queue', place(), backend));
    await queue.add('job', {}, { lane: { account: 'A' } });
    const worker = keep(new Worker('queue', async () => undefined, place(), backend));
    await worker.waitUntilReady();
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    const since = Date.now();
    await expect.poll(() => Date.now() - since, { interval: 200 }).toBeGreaterThan(6_000);
    expect(await lanes.plainWorkers('queue')).toEqual([]);
  });

  it.each([
    ['is not paused', async (_queue: Queue) => undefined],
    [
      'has active jobs',
      async (queue: Queue) => {
        await queue.add('job', {});
        const worker = new Worker('queue', null, place(), backend);
        await worker.getNextJob('token');
        await queue.pause();
        await worker.close();
      },
    ],
    [
      'has workers with lanes',
      async (queue: Queue) => {
        const worker = keep(new Worker('queue', async () => undefined, place(), backend));
        await worker.waitUntilReady();
        await queue.add('job', {});
        await expect.poll(() => queue.getCompletedCount()).toBe(1);
        await queue.pause();
      },
    ],
  ])('refuses to hand a queue back that %s', async (reason, prepare) => {
    const queue = keep(new Queue('queue', place(), backend));
    await prepare(queue);
    const lanes = keep(createLanes({ connection: redis.url, prefix: redis.prefix }));
    await expect(lanes.releaseQueue('queue')).rejects.toMatchObject({
      code: 'mixed_fleet',
      message: expect.stringContaining(reason),
    });
  });
});
