import { setTimeout as delay } from 'node:timers/promises';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';
import { gatedHandler, startWorker, type Handler } from '../testing-support/start-worker.js';

const redis = useRedis();
const BURST = 400;

interface Seen {
  ready: number;
  ageMs: number;
}

/** What is told of the queue, as Prometheus reads it. */
async function told(api: ApiUnderTest): Promise<Seen> {
  const { text } = await api.call('GET', '/metrics');
  const value = (series: string) => Number(new RegExp(`^fairlane_${series} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    ready: value('jobs\\{queue="outreach",state="ready"\\}'),
    ageMs: 1_000 * value('oldest_eligible_age_seconds\\{queue="outreach"\\}'),
  };
}

/** The most of the last minutes of the series, which the charts draw. */
async function charted(api: ApiUnderTest): Promise<Seen> {
  const { json } = await api.call('GET', '/v1/queues/outreach/series?minutes=2');
  const items = json['items'] as { ready: number | null; oldestEligibleAgeMs: number | null }[];
  return {
    ready: Math.max(...items.map(({ ready }) => ready ?? 0)),
    ageMs: Math.max(...items.map(({ oldestEligibleAgeMs: age }) => age ?? 0)),
  };
}

async function handIn(api: ApiUnderTest, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_value, at) =>
    JSON.stringify(message({ accountId: `account-${at % 20}` })),
  );
  await api.call('POST', '/v1/jobs/message.send/batch', { body: lines.join('\n') });
}

async function start(handler: Handler): Promise<ApiUnderTest> {
  const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix, surveyEveryMs: 100 });
  await startWorker(redis, handler);
  await expect.poll(() => told(api)).toEqual({ ready: 0, ageMs: 0 });
  return api;
}

// With real waits and the shipped rules in a Prometheus: packages/testkit/test/alerts.long.test.ts.
describe('what tells a burst from a worker that is stuck', () => {
  it('a burst with a healthy worker raises depth, and no job waits for longer than the burst takes', async () => {
    // However fast the machine takes jobs in, they are there before the first ends.
    let tellAllIn!: () => void;
    const allIn = new Promise<void>((resolve) => (tellAllIn = resolve));
    const api = await start(async () => {
      await allIn;
      await delay(40);
    });
    const startedAt = performance.now();
    const seen: Seen[] = [];
    await handIn(api, BURST);
    tellAllIn();
    await expect
      .poll(async () => {
        seen.push(await told(api));
        return (await api.lanes.queueCounts('outreach')).completed;
      })
      .toBe(BURST);
    const tookMs = performance.now() - startedAt;
    expect(Math.max(...seen.map(({ ready }) => ready))).toBeGreaterThan(BURST / 4);
    expect(Math.max(...seen.map(({ ageMs }) => ageMs))).toBeLessThan(tookMs);
    await expect.poll(() => told(api)).toEqual({ ready: 0, ageMs: 0 });
  });

  it('a wedged worker raises age with hardly any depth, in metrics and charts, until it goes on', async () => {
    const { handler, open, started } = gatedHandler();
    const api = await start(handler);
    await handIn(api, 10);
    await expect.poll(() => started.size).toBe(10);
    const waitedSince = performance.now();
    await handIn(api, 2);
    for (const read of [told, charted]) {
      await expect
        .poll(() => read(api))
        .toEqual({ ready: 2, ageMs: expect.toSatisfy((ageMs: number) => ageMs > 1_500) as number });
    }
    expect((await told(api)).ageMs).toBeLessThan(performance.now() - waitedSince + 1_000);
    open();
    for (const read of [told, async () => latest(api)]) {
      await expect.poll(() => read(api)).toEqual({ ready: 0, ageMs: 0 });
    }
  });
});

/** The minute that runs. */
async function latest(api: ApiUnderTest): Promise<Seen> {
  const { json } = await api.call('GET', '/v1/queues/outreach/series?minutes=1');
  const [item] = json['items'] as { ready: number | null; oldestEligibleAgeMs: number | null }[];
  return { ready: item?.ready ?? NaN, ageMs: item?.oldestEligibleAgeMs ?? 0 };
}
