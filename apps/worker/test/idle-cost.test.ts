import { setTimeout as delay } from 'node:timers/promises';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { startWorker } from './support/worker-process.js';

const redis = useRedis();

/** Heartbeat, cancellations, health check, ledger and sweepers; and two for each queue. */
const SHARED_CONNECTIONS = 4;
const CONNECTIONS_A_QUEUE = 2;
/** 52 were measured for the five queues shipped. */
const MOST_COMMANDS_A_SECOND = 65;
const WATCHED_MS = 5_000;

/** Connections but for the test's own. */
async function connectionCount(): Promise<number> {
  return (
    String(await redis.client.client('LIST'))
      .trim()
      .split('\n').length - 1
  );
}

/** As Redis counts them, those inside of scripts too. */
async function commandCount(): Promise<number> {
  const stats = await redis.client.info('commandstats');
  return [...stats.matchAll(/:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

const environment = () => ({
  REDIS_URL: redis.url,
  FAIRLANE_PREFIX: redis.prefix,
  OUTREACH_GATEWAY_URL: 'http://outreach.invalid',
});

test(
  'R14 A26: a worker of one queue has six connections; one that waits for work stops at once and leaves none',
  { timeout: 120_000 },
  async () => {
    await using worker = await startWorker('shipped', { ...environment(), WORKER_QUEUES: 'outreach:1-50' });
    // The heartbeat's is the last one made.
    await expect.poll(async () => redis.client.exists(`${redis.prefix}::wk`)).toBe(1);
    expect(await connectionCount()).toBe(SHARED_CONNECTIONS + CONNECTIONS_A_QUEUE);
    const stoppedAt = performance.now();
    worker.signal('SIGTERM');
    expect(await worker.exit).toBe(0);
    // Of a grace of thirty seconds.
    expect(performance.now() - stoppedAt).toBeLessThan(15_000);
    await expect.poll(connectionCount).toBe(0);
  },
);

test(
  'R10 R14: an idle worker of the five queues shipped has fourteen connections and sends few commands',
  { timeout: 120_000 },
  async () => {
    await using _worker = await startWorker('shipped', environment());
    await expect.poll(connectionCount).toBe(SHARED_CONNECTIONS + 5 * CONNECTIONS_A_QUEUE);
    const before = await commandCount();
    const startedAt = performance.now();
    // The rate over this time is the experiment; the upkeep's turns of a second are in it.
    await delay(WATCHED_MS);
    const perSecond = (1_000 * ((await commandCount()) - before)) / (performance.now() - startedAt);
    expect(perSecond).toBeLessThan(MOST_COMMANDS_A_SECOND);
    expect(await connectionCount()).toBe(SHARED_CONNECTIONS + 5 * CONNECTIONS_A_QUEUE);
  },
);
