import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';
import { startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

describe('GET /v1/scaling', () => {
  it('follows what could start, not what is held, and is a number alone on request', async () => {
    const api = await start();
    const scaling = async (query: string) =>
      (await api.call('GET', `/v1/scaling?queues=outreach&${query}`, { token: api.tokens.viewer })).json;
    expect(await scaling('min=0')).toEqual({
      desiredReplicas: 0,
      reason: 'nothing waits and nothing runs',
    });
    for (let job = 0; job < 30; job += 1) {
      await api.call('POST', '/v1/jobs/message.send', { body: message() });
    }
    expect(await scaling('min=0&max=4&targetAgeMs=1000')).toMatchObject({ desiredReplicas: 4 });
    const plain = await api.call(
      'GET',
      '/v1/scaling?queues=outreach,bulk&max=4&targetAgeMs=1000&format=plain',
    );
    expect([plain.status, plain.text, plain.headers.get('content-type')]).toEqual([
      200,
      '4',
      'text/plain; charset=utf-8',
    ]);
    await api.call('PUT', '/v1/accounts/a1/limits/email', { body: { limit: 1, perMs: 3_600_000 } });
    await startWorker(redis, () => null, { beatEveryMs: 50 });
    // A35: one was let through, 29 are only limited.
    await expect
      .poll(async () => (await api.call('GET', '/v1/queues/outreach')).json['counts'])
      .toMatchObject({ held: 29, active: 0, ready: 0 });
    expect(await scaling('min=0&targetAgeMs=1000')).toMatchObject({ desiredReplicas: 1 });
  });

  it('refuses what makes no sense', async () => {
    const api = await start();
    for (const [query, status] of [
      ['queues=nope', 404],
      ['queues=', 404],
      ['min=5&max=4', 400],
      ['max=0', 400],
      ['targetAgeMs=1', 400],
      ['format=xml', 400],
    ] as const) {
      expect([query, (await api.call('GET', `/v1/scaling?${query}`)).status]).toEqual([query, status]);
    }
  });
});
