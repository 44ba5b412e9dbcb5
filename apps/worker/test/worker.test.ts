import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOutreachJobs, type OutreachJobs } from './support/outreach-jobs.js';
import { openOutside, type Outside } from './support/outside.js';
import { runToEnd, startWorker, type WorkerProcess } from './support/worker-process.js';

const redis = useRedis();
let jobs: OutreachJobs;
let outside: Outside;

beforeEach(async () => {
  jobs = openOutreachJobs(redis.url, redis.prefix);
  outside = await openOutside();
});
afterEach(async () => {
  await jobs.close();
  await outside[Symbol.asyncDispose]();
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: outside.url,
    WORKER_LEASE_MS: '5000',
    ...more,
  };
}

const all = <T>(value: T, count: number) => Array.from({ length: count }, () => value);

describe('at its start', () => {
  test('a worker says where its health is and is healthy and ready with nothing to do', async () => {
    await using worker = await startWorker('shipped', environment());
    expect(worker.lines().find(({ ready }) => ready)).toEqual({
      ready: 'worker',
      pid: worker.pid,
      health: worker.health,
      metrics: `${worker.health}/metrics`,
    });
    expect(await worker.check('/healthz')).toEqual({ status: 200, checks: { consumer: 'ok' } });
    expect(await worker.check('/readyz')).toEqual({
      status: 200,
      checks: { consumer: 'ok', ledger: 'ok' },
    });
  });

  test('R13 a worker says which jobs of its queues it leaves to others, and what they need', async () => {
    await using worker = await startWorker('shipped', environment());
    const left = expect.objectContaining({
      jobs: ['report.import'],
      msg: expect.stringContaining('FAIRLANE_BLOB_STORE'),
    });
    expect(worker.lines()).toContainEqual(left);
    await using other = await startWorker('shipped', environment({ WORKER_QUEUES: 'outreach:1-2' }));
    expect(other.lines().filter(({ jobs: names }) => names)).toEqual([]);
  });

  test.each([
    ['WORKER_QUEUES', 'nowhere:1-2'],
    ['WORKER_LEASE_MS', '4999'],
    ['REDIS_URL', 'localhost:6379'],
    ['OUTREACH_GATEWAY_URL', ''],
  ])('a bad %s ends it with one message that names the variable', async (name, value) => {
    const { code, stderr } = await runToEnd(environment({ [name]: value }));
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(name)]);
  });

  test('A29: a Redis that may drop keys ends it with the reason', async () => {
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const { code, stdout } = await runToEnd(environment());
      expect(code).toBe(1);
      expect(stdout).toContain('maxmemory-policy is allkeys-lru');
    } finally {
      await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });
});

describe('SIGTERM', () => {
  test('A35: running jobs finish, new ones are left to others, exit 0', async () => {
    await using worker = await startWorker('shipped', environment({ WORKER_QUEUES: 'outreach:3-3' }));
    const running = await jobs.enqueue(3);
    await expect.poll(outside.waiting).toBe(3);
    worker.signal('SIGTERM');
    await expect.poll(async () => (await worker.check('/readyz')).status).toBe(503);
    expect((await worker.check('/healthz')).status).toBe(200);
    const late = await jobs.enqueue(1);
    outside.answer(200);
    expect(await worker.exit).toBe(0);
    expect(await jobs.statesOf(running)).toEqual(all('completed', 3));
    expect(outside.calls()).toBe(3);
    expect(await jobs.statesOf(late)).toEqual(['ready']);
  });

  test('A35: jobs that outlast the grace period are given back with their attempts and another worker runs them', async () => {
    await using worker = await startWorker('shipped', environment({ WORKER_GRACE_MS: '300' }));
    const ids = await jobs.enqueue(4);
    await expect.poll(outside.waiting).toBe(4);
    const stoppedAt = performance.now();
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(300 + 15_000);
    expect(await jobs.statesOf(ids)).toEqual(all('ready', 4));
    expect(await jobs.attemptsMade(ids)).toEqual(all(0, 4));

    outside.answer(200);
    await using next = await startWorker('shipped', environment());
    await expect.poll(() => jobs.statesOf(ids)).toEqual(all('completed', 4));
    expect(await jobs.attemptsMade(ids)).toEqual(all(1, 4));
    expect(next.pid).not.toBe(worker.pid);
  });

  test('a handler that ignores its signal cannot hold the process', async () => {
    await using worker = await startWorker('stubborn', environment({ WORKER_GRACE_MS: '300' }));
    const ids = await jobs.enqueue(2, 'ignore');
    await expect.poll(() => worker.lines().filter(({ ignoring }) => ignoring)).toHaveLength(2);
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    expect(await jobs.statesOf(ids)).toEqual(all('ready', 2));
    expect(await jobs.attemptsMade(ids)).toEqual(all(0, 2));
  });

  test('a handler that blocks the event loop delays the stop, no longer', async () => {
    await using worker = await startWorker('stubborn', environment({ WORKER_GRACE_MS: '5000' }));
    const ids = await jobs.enqueue(1, 'block 1500');
    await expect.poll(() => worker.lines().some(({ blocking }) => blocking)).toBe(true);
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    expect(await jobs.statesOf(ids)).toEqual(['completed']);
  });

  test('A26: 500 jobs that all wait for the outside are still there after the stop', async () => {
    outside.answer(429, { 'retry-after': '600' });
    await using worker = await startWorker('shipped', environment());
    const ids = await jobs.enqueue(500);
    await expect.poll(async () => (await jobs.producer.queueCounts('outreach')).held).toBe(500);
    // The first answer closes the gate: hardly more than the worker has slots have asked.
    expect(outside.calls()).toBeLessThanOrEqual(20);
    const stoppedAt = performance.now();
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    // Of a grace of thirty seconds.
    expect(performance.now() - stoppedAt).toBeLessThan(15_000);
    expect(await jobs.producer.queueCounts('outreach')).toMatchObject({ active: 0, held: 500 });
    expect(await jobs.attemptsMade(ids)).toEqual(all(0, 500));
  });

  test('a second signal ends the process at once', async () => {
    await using worker = await startWorker('shipped', environment());
    await jobs.enqueue(1);
    await expect.poll(outside.waiting).toBe(1);
    worker.signal('SIGTERM');
    await expect.poll(async () => (await worker.check('/readyz')).status).toBe(503);
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(1);
  });
});

describe('without Redis', () => {
  beforeEach(() => {
    // The fixture's own connection is cut as well; ioredis prints errors that nobody listens to.
    redis.client.on('error', () => {});
  });
  afterEach(async () => {
    redis.client.removeAllListeners('error');
    await redis.server.restart();
  });

  test('A27: a worker is back at work after Redis is, without a restart', async () => {
    outside.answer(200);
    await using worker = await startWorker('shipped', environment());
    await redis.server.kill();
    await untilLost(worker);
    expect((await worker.check('/healthz')).status).toBe(200);
    await redis.server.restart();
    await untilBack();
    const ids = await jobs.enqueue(10);
    await expect.poll(() => jobs.statesOf(ids), { timeout: 30_000 }).toEqual(all('completed', 10));
  });

  test('A39: connections cut by the server are logged and opened again', async () => {
    outside.answer(200);
    await using worker = await startWorker('shipped', environment());
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await untilLost(worker);
    await untilBack();
    const ids = await jobs.enqueue(10);
    await expect.poll(() => jobs.statesOf(ids)).toEqual(all('completed', 10));
  });

  test('A26: a stop ends in bounded time, with a job running too', async () => {
    await using worker = await startWorker('shipped', environment({ WORKER_GRACE_MS: '1000' }));
    await jobs.enqueue(1);
    await expect.poll(outside.waiting).toBe(1);
    await redis.server.kill();
    await untilLost(worker);
    const stoppedAt = performance.now();
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(1_000 + 15_000);
  });
});

async function untilLost(worker: WorkerProcess): Promise<void> {
  await expect.poll(() => worker.lines().some(({ level }) => level === 'error')).toBe(true);
}

async function untilBack(): Promise<void> {
  await expect
    .poll(async () =>
      jobs.producer.queueCounts('outreach').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
}
