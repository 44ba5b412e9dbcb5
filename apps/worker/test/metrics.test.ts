import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOutreachJobs, type OutreachJobs } from './support/outreach-jobs.js';
import { openOutside, type Outside } from './support/outside.js';
import { startWorker, type WorkerProcess } from './support/worker-process.js';

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

const start = () =>
  startWorker('shipped', {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: outside.url,
  });

/** Values of a metric over some workers, added up by the labels it carries. */
async function sums(workers: readonly WorkerProcess[], metric: string): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const { health } of workers) {
    const text = await (await fetch(`${health}/metrics`)).text();
    for (const [, labels = '', value] of text.matchAll(
      new RegExp(`^fairlane_${metric}(\\{.*\\})? (\\S+)$`, 'gm'),
    )) {
      total[labels] = (total[labels] ?? 0) + Number(value);
    }
  }
  return total;
}

/** The labels of outreach jobs that died so. */
const dead = (code: string) => `{queue="outreach",name="outreach.send",outcome="dead",code="${code}"}`;

describe('metrics of workers', () => {
  test('each end is counted once, whichever worker reached it: 10 failures of different kinds over 3 workers are 10', async () => {
    outside.answer(({ body }) => Number(body));
    const [spoiled = '', ...unfit] = await jobs.enqueue(3, '200');
    const place = `${redis.prefix}:outreach:`;
    await redis.client.hset(place + spoiled, 'data', '{bad');
    for (const id of unfit) await redis.client.hset(place + id, 'data', '{"v":1,"p":{}}');
    const statuses = { 200: 12, 401: 3, 404: 2, 422: 2 };
    await Promise.all(Object.entries(statuses).map(([status, count]) => jobs.enqueue(count, status)));
    await using first = await start();
    await using second = await start();
    await using third = await start();
    const workers = [first, second, third];
    await expect
      .poll(async () => {
        const counts = await jobs.producer.queueCounts('outreach');
        return [counts.completed, counts.dead];
      })
      .toEqual([12, 10]);

    // An end is counted when Redis has agreed to it, so a moment later.
    await expect
      .poll(() => sums(workers, 'jobs_finished_total'))
      .toEqual({
        '{queue="outreach",name="outreach.send",outcome="completed",code=""}': 12,
        [dead('unauthorized')]: 3,
        [dead('target_gone')]: 2,
        [dead('rejected')]: 2,
        [dead('invalid_payload')]: 2,
        [dead('unreadable')]: 1,
      });
    // Three of them never reached a handler.
    expect(await sums(workers, 'jobs_started_total')).toEqual({ '{queue="outreach"}': 19 });
    expect(await sums(workers, 'job_attempts_total')).toEqual({
      '{queue="outreach",class="completed"}': 12,
      '{queue="outreach",class="permanent"}': 7,
    });
    expect(await sums(workers, 'time_in_queue_seconds_count')).toEqual({ '{queue="outreach"}': 19 });
    expect(await sums(workers, 'processing_seconds_count')).toEqual({
      '{queue="outreach",name="outreach.send"}': 19,
    });
  });

  test('A34: no series holds an account', async () => {
    outside.answer(200);
    await using worker = await start();
    await jobs.enqueue(30);
    await expect.poll(async () => (await jobs.producer.queueCounts('outreach')).completed).toBe(30);
    const text = await (await fetch(`${worker.health}/metrics`)).text();
    expect(text).toContain('fairlane_event_loop_lag_seconds');
    expect(text).not.toMatch(/account/);
    expect(text.split('\n').filter((line) => line.startsWith('fairlane_')).length).toBeLessThan(100);
  });
});
