import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperations } from '@fairlane/queue';
import { temporaryFolder, useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { openTimedJobs, timedCatalogue } from './support/timed-jobs.js';
import { startWorker } from './support/worker-process.js';

const redis = useRedis();

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    WORKER_QUEUES: 'timed:1-1',
    WORKER_LEASE_MS: '5000',
    ...more,
  };
}

test(
  'A03 R2: a handler that blocks the event loop answers no probe, loses its lease, is fenced, and tells how long it was blocked',
  { timeout: 120_000 },
  async () => {
    const jobs = openTimedJobs(redis.url, redis.prefix);
    const operations = createOperations({
      redis: redis.url,
      prefix: redis.prefix,
      catalogue: timedCatalogue,
    });
    const unblock = join(temporaryFolder(), 'unblock');
    try {
      await using blocked = await startWorker('timed', environment({ TIMED_BLOCKED_UNTIL: unblock }));
      const [id = ''] = await jobs.enqueue(1, 0, 'block');
      await expect.poll(() => blocked.lines().some(({ began }) => began === id)).toBe(true);
      const blockedAt = performance.now();
      const probe = fetch(`${blocked.health}/healthz`, { signal: AbortSignal.timeout(1_000) });
      await expect(probe).rejects.toThrow(/timeout/);

      await using other = await startWorker('timed', environment());
      await expect
        .poll(async () => (await jobs.views([id]))[0]?.state, { timeout: 30_000 })
        .toBe('completed');
      const blockedMs = performance.now() - blockedAt;
      writeFileSync(unblock, '');
      // It goes on after another has done its work: it may perform nothing and finish nothing.
      await expect
        .poll(() => blocked.lines().find(({ ended }) => ended === id), { timeout: 30_000 })
        .toMatchObject({ performed: false });
      expect(other.lines().find(({ ended }) => ended === id)).toMatchObject({ performed: true });
      const lag = async () =>
        Math.max(
          (await operations.workers()).find(({ pid }) => pid === blocked.pid)?.eventLoopLagMs ?? 0,
          await lagMetricMs(blocked.health),
        );
      await expect.poll(lag).toBeGreaterThan(0.8 * blockedMs);
      const [view] = await jobs.views([id]);
      expect(view).toMatchObject({ state: 'completed', attempts: { made: 1 }, stalls: 1 });
      expect((await blocked.check('/healthz')).status).toBe(200);
    } finally {
      await operations.close();
      await jobs.producer.close();
    }
  },
);

/** Of the worker's own metrics; told once, for the time since the last scrape. */
async function lagMetricMs(health: string): Promise<number> {
  const text = await (await fetch(`${health}/metrics`)).text();
  const seconds = /^fairlane_event_loop_lag_seconds (\S+)/m.exec(text)?.[1];
  return Number(seconds ?? 0) * 1_000;
}
