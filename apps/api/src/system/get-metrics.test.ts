import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();

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
});
