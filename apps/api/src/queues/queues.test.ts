import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { Figures } from '@fairlane/queue';
import { PermanentError } from '@fairlane/sdk';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';
import { startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

describe('queues', () => {
  it('counts the jobs of each declared queue by state', async () => {
    const api = await start();
    await api.call('POST', '/v1/jobs/message.send', { body: message() });
    await api.call('POST', '/v1/jobs/message.send?delayMs=60000', { body: message() });
    await api.call('POST', '/v1/jobs/message.send?priority=5', { body: message() });
    const one = await api.call('GET', '/v1/queues/outreach', { token: api.tokens.viewer });
    const counts = {
      scheduled: 1,
      ready: 2,
      held: 0,
      active: 0,
      retrying: 0,
      completed: 0,
      dead: 0,
      cancelled: 0,
    };
    expect(one.json).toEqual({
      queue: 'outreach',
      counts,
      paused: false,
      oldestEligibleAgeMs: expect.any(Number) as number,
      slots: { min: 10, max: 10 },
      lastMinute: expect.objectContaining({ dead: 0, errorRate: null }) as object,
      lastHour: expect.objectContaining({ timeInQueueMs: { p50: null, p99: null } }) as object,
    });
    const all = await api.call('GET', '/v1/queues', { token: api.tokens.viewer });
    const items = all.json['items'] as { queue: string }[];
    expect(items.map(({ queue }) => queue).toSorted()).toEqual(['bulk', 'critical', 'outreach']);
    expect(items.find(({ queue }) => queue === 'outreach')).toMatchObject({ counts });
  });

  it('tells rates, error rate and times of the last minute and hour, and the same by the minute', async () => {
    const api = await start();
    const lead = message();
    await startWorker({ url: redis.url, prefix: redis.prefix }, ({ leadId }) => {
      if (leadId !== lead['leadId']) throw new PermanentError({ code: 'rejected', reason: 'no such lead' });
    });
    await api.call('POST', '/v1/jobs/message.send', { body: lead });
    await api.call('POST', '/v1/jobs/message.send', { body: message() });
    const happened = { enqueued: 2, started: 2, completed: 1, dead: 1, errorRate: 0.5 };
    await expect
      .poll(async () => (await api.call('GET', '/v1/queues/outreach')).json)
      .toMatchObject({ lastMinute: happened, lastHour: happened });
    const { json } = await api.call('GET', '/v1/queues/outreach');
    for (const figures of [json['lastMinute'], json['lastHour']] as Figures[]) {
      expect(figures.timeInQueueMs.p99).toBeGreaterThanOrEqual(figures.timeInQueueMs.p50 ?? NaN);
      expect(figures.processingMs.p50).toBeGreaterThan(0);
      expect(figures.finishedPerSecond).toBeGreaterThan(0);
    }
    const lastTwo = async () => {
      const answer = await api.call('GET', '/v1/queues/outreach/series?minutes=2');
      return answer.json['items'] as (Figures & { at: string; ready: number | null })[];
    };
    const items = await lastTwo();
    expect(items).toHaveLength(2);
    // The second may be another minute.
    const [before, now] = items;
    expect((before?.enqueued ?? 0) + (now?.enqueued ?? 0)).toBe(2);
    expect((before?.completed ?? 0) + (now?.completed ?? 0)).toBe(1);
    expect(Date.parse(items[1]?.at ?? '') - Date.parse(items[0]?.at ?? '')).toBe(60_000);
    await expect.poll(async () => (await lastTwo()).at(-1)?.ready).toBe(0);
    expect((await api.call('GET', '/v1/queues/outreach/series')).json['items']).toHaveLength(60);
  });

  it('tells since when the oldest job could have run, whatever was held for longer', async () => {
    const api = await start();
    await api.lanes.pause('held', 'somebody');
    await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'held' }) });
    const age = async () =>
      (await api.call('GET', '/v1/queues/outreach')).json['oldestEligibleAgeMs'] as number | null;
    await expect.poll(async () => (await api.lanes.queueCounts('outreach')).held).toBe(1);
    expect(await age()).toBeNull();
    await expect
      .poll(async () => (await api.lanes.accounts()).items[0]?.oldestWaitingAgeMs)
      .toBeGreaterThan(300);
    const before = performance.now();
    await api.lanes.resume('held', 'somebody');
    const sinceThen = await age();
    // It had been held for 300 ms and more by then.
    expect(sinceThen).toBeLessThan(performance.now() - before + 100);
    await expect.poll(age).toBeGreaterThan(300);
  });

  it('answers 404 for a queue that is not declared', async () => {
    const api = await start();
    for (const name of ['nope', '__proto__', 'constructor', 'toString']) {
      for (const path of [`/v1/queues/${name}`, `/v1/queues/${name}/series`]) {
        const { status, json } = await api.call('GET', path);
        expect([path, status, json['code']]).toEqual([path, 404, 'unknown_queue']);
      }
    }
  });
});
