import { startFaultProxy, type FaultProxy } from '@fairlane/testkit';
import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOutreachJobs, type OutreachJobs } from './support/outreach-jobs.js';
import { openOutside, type Outside } from './support/outside.js';
import { startWorker } from './support/worker-process.js';

const redis = useRedis();
/** The threshold is two of them. */
const LEASE_MS = 5_000;
let proxy: FaultProxy;
let jobs: OutreachJobs;
let outside: Outside;

beforeEach(async () => {
  proxy = await startFaultProxy({ target: { port: redis.server.port } });
  jobs = openOutreachJobs(redis.url, redis.prefix);
  outside = await openOutside();
});
afterEach(async () => {
  await jobs.close();
  await outside[Symbol.asyncDispose]();
  await proxy.close();
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: outside.url,
    WORKER_LEASE_MS: String(LEASE_MS),
    WORKER_QUEUES: 'outreach:2-2',
    ...more,
  };
}

describe('a worker whose link to Redis swallows bytes', () => {
  test(
    'A26: turns /healthz red within its threshold and green again after it, and goes on without a restart',
    { timeout: 120_000 },
    async () => {
      outside.answer(200);
      await using worker = await startWorker('shipped', environment());
      expect((await worker.check('/healthz')).status).toBe(200);
      const restore = proxy.swallow('toClient');
      const watch = startStopwatch(worker.pid);
      await expect
        .poll(() => worker.check('/healthz'), { timeout: 30_000, interval: 100 })
        .toMatchObject({ status: 503, checks: { consumer: expect.stringContaining('outreach') as string } });
      // The threshold, and the second or two until connections are given up.
      expect(watch.ownMs()).toBeLessThan(2 * LEASE_MS + 8_000);
      restore();
      await expect.poll(async () => (await worker.check('/healthz')).status).toBe(200);
      const ids = await jobs.enqueue(10);
      await expect.poll(async () => new Set(await jobs.statesOf(ids))).toEqual(new Set(['completed']));
      expect(outside.calls()).toBe(10);
    },
  );

  test(
    'A26 A35: a stop ends within grace and bounds, with a job running, and another worker takes that over',
    { timeout: 120_000 },
    async () => {
      await using worker = await startWorker('shipped', environment({ WORKER_GRACE_MS: '500' }));
      const ids = await jobs.enqueue(1);
      await expect.poll(outside.waiting).toBe(1);
      const restore = proxy.swallow('toServer');
      await expect.poll(() => proxy.swallowedBytes).toBeGreaterThan(0);
      const stoppedAt = performance.now();
      worker.signal('SIGTERM');
      expect(await worker.exit).toBe(0);
      expect(performance.now() - stoppedAt).toBeLessThan(500 + 15_000);
      restore();
      outside.answer(200);
      await using next = await startWorker('shipped', environment());
      expect(next.pid).not.toBe(worker.pid);
      await expect.poll(() => jobs.statesOf(ids)).toEqual(['completed']);
      expect(await jobs.attemptsMade(ids)).toEqual([1]);
      // The platform had applied the call of the first worker, which its successor asked for.
      expect(outside.calls()).toBe(1);
    },
  );
});
