import { setTimeout as delay } from 'node:timers/promises';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { openOutreachJobs } from './support/outreach-jobs.js';
import { openOutside } from './support/outside.js';
import { startWorker } from './support/worker-process.js';

const redis = useRedis({ appendonly: true });
/** Two leases: a loop that has not asked for work for this long is stuck. */
const STUCK_AFTER_MS = 60_000;

test('A27: after Redis was away for 20 s a worker runs what is enqueued then, without a restart', async () => {
  redis.client.on('error', () => {});
  await using outside = await openOutside();
  outside.answer(200);
  const jobs = openOutreachJobs(redis.url, redis.prefix);
  await using worker = await startWorker('shipped', {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: outside.url,
  });
  await redis.server.kill();
  // The length of the outage is the experiment.
  await delay(20_000);
  await redis.server.restart();
  await expect
    .poll(
      async () =>
        jobs.producer.queueCounts('outreach').then(
          () => true,
          () => false,
        ),
      { timeout: 15_000 },
    )
    .toBe(true);
  const ids = await jobs.enqueue(10);
  await expect
    .poll(async () => new Set(await jobs.statesOf(ids)), { timeout: 30_000 })
    .toEqual(new Set(['completed']));
  expect(await worker.check('/healthz')).toMatchObject({ status: 200 });
  await jobs.close();
});

test('a consume loop that gets no answer any more turns /healthz red; an empty queue and one with only held jobs do not', async () => {
  await using outside = await openOutside();
  outside.answer(429, { 'retry-after': '600' });
  const jobs = openOutreachJobs(redis.url, redis.prefix);
  await using worker = await startWorker('shipped', {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: outside.url,
    WORKER_QUEUES: 'outreach:5-5,bulk:1-1',
  });
  await jobs.enqueue(50);
  await expect.poll(async () => (await jobs.producer.queueCounts('outreach')).held).toBe(50);
  // Longer than the threshold with nothing to do: asking in vain is a sign of life.
  const idleSince = performance.now();
  while (performance.now() - idleSince < STUCK_AFTER_MS + 10_000) {
    expect((await worker.check('/healthz')).status).toBe(200);
    await delay(1_000);
  }
  expect((await jobs.producer.queueCounts('outreach')).held).toBe(50);
  process.kill(redis.server.pid, 'SIGSTOP');
  try {
    await expect
      .poll(() => worker.check('/healthz'), { timeout: STUCK_AFTER_MS + 30_000 })
      .toMatchObject({ status: 503, checks: { consumer: expect.stringContaining('outreach') as string } });
  } finally {
    process.kill(redis.server.pid, 'SIGCONT');
  }
  await expect.poll(async () => (await worker.check('/healthz')).status, { timeout: 30_000 }).toBe(200);
  await jobs.close();
});
