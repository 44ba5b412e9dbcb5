import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startWorker } from '../testing-support/start-worker.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();

/** The values of our metrics by name and labels. */
async function values(api: ApiUnderTest): Promise<Record<string, number>> {
  const { text } = await api.call('GET', '/metrics');
  const lines = text.matchAll(/^fairlane_(\S+) (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}

describe('GET /metrics', () => {
  it('A34 counts what was handed in by queue, job and outcome, never by account', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const held = message();
    const alert = { accountId: 'a1', host: 'h1', readings: [] };
    const lines = [held, { ...held, body: 'Another text' }, {}, message({ accountId: 'a2' })];
    await api.call('POST', '/v1/jobs/message.send', { body: held });
    await api.call('POST', '/v1/jobs/alert.raise', { body: alert });
    await api.call('POST', '/v1/jobs/alert.raise', { body: { ...alert, readings: [1] } });
    await api.call('POST', '/v1/jobs/message.send/batch', {
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const { text, headers } = await api.call('GET', '/metrics', { token: api.tokens.viewer });
    expect(headers.get('content-type')).toContain('text/plain');
    const series = text.split('\n').filter((line) => line.startsWith('fairlane_jobs_enqueued_total{'));
    expect(series.toSorted()).toEqual([
      'fairlane_jobs_enqueued_total{queue="critical",name="alert.raise",outcome="accepted"} 1',
      'fairlane_jobs_enqueued_total{queue="critical",name="alert.raise",outcome="duplicate"} 1',
      'fairlane_jobs_enqueued_total{queue="outreach",name="message.send",outcome="accepted"} 2',
      'fairlane_jobs_enqueued_total{queue="outreach",name="message.send",outcome="conflict"} 1',
      'fairlane_jobs_enqueued_total{queue="outreach",name="message.send",outcome="duplicate"} 1',
      'fairlane_jobs_enqueued_total{queue="outreach",name="message.send",outcome="refused"} 1',
    ]);
    expect(text).toContain('fairlane_event_loop_lag_seconds');
    expect(text).not.toContain('a2');
  });

  it('tells how the queues stand, the same on every replica', async () => {
    const { url: redisUrl, prefix } = redis;
    const [one, other] = [await startApi({ redisUrl, prefix }), await startApi({ redisUrl, prefix })];
    await one.lanes.pause('paused', 'somebody');
    for (const accountId of ['paused', 'a1', 'a1', 'a2']) {
      await one.call('POST', '/v1/jobs/message.send', { body: message({ accountId }) });
    }
    await one.call('POST', '/v1/jobs/message.send?delayMs=60000', { body: message() });
    const expected = {
      'jobs{queue="outreach",state="ready"}': 3,
      'jobs{queue="outreach",state="held"}': 1,
      'jobs{queue="outreach",state="scheduled"}': 1,
      'accounts{queue="outreach",state="ready",reason=""}': 2,
      'accounts{queue="outreach",state="held",reason="paused"}': 1,
      'oldest_eligible_age_seconds{queue="bulk"}': 0,
    };
    for (const api of [one, other]) await expect.poll(() => values(api)).toMatchObject(expected);
    const told = await values(one);
    expect(told['oldest_eligible_age_seconds{queue="outreach"}']).toBeGreaterThan(0);
    expect(told['oldest_held_age_seconds{queue="outreach",reason="paused"}']).toBeGreaterThan(0);
    expect(told['redis_memory_bytes']).toBeGreaterThan(500_000);
    expect(told['redis_memory_limit_bytes']).toBeGreaterThan(told['redis_memory_bytes'] ?? NaN);
    await one.lanes.resume('paused', 'somebody');
    // A reason that holds nobody any more is gone.
    await expect.poll(async () => Object.keys(await values(one)).join()).not.toContain('reason="paused"');
  });

  it('counts the workers of each queue, none told as 0', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    await startWorker({ url: redis.url, prefix: redis.prefix }, () => undefined);
    await expect
      .poll(() => values(api))
      .toMatchObject({
        'workers{queue="outreach",status="idle"}': 1,
        'workers{queue="outreach",status="lost"}': 0,
        'workers{queue="bulk",status="idle"}': 0,
      });
  });

  it('A34 has as many series whatever the number of accounts', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const lines = Array.from({ length: 3_000 }, (_value, at) =>
      JSON.stringify(message({ accountId: `account-${at}` })),
    );
    await api.call('POST', '/v1/jobs/message.send/batch', { body: lines.join('\n') });
    const ready = 'accounts{queue="outreach",state="ready",reason=""}';
    await expect.poll(async () => (await values(api))[ready]).toBe(3_000);
    const { text } = await api.call('GET', '/metrics');
    expect(text).not.toContain('account-1');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length).toBeLessThan(200);
  });
});
