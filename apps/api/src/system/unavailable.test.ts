import { once } from 'node:events';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis({ appendonly: true });
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const path = '/v1/jobs/message.send';

beforeAll(() => {
  // The test's own connection is lost too.
  redis.client.on('error', () => undefined);
});

afterEach(async () => {
  await redis.client.config('SET', 'maxmemory', '0');
  await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
});

async function ready(api: ApiUnderTest): Promise<void> {
  await vi.waitFor(async () => expect((await api.call('GET', '/readyz')).status).toBe(200), 10_000);
}

/** Every answer must come within two seconds, the time of the test's own client included. */
async function refusedInTime(api: ApiUnderTest, count: number): Promise<void> {
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, () => api.call('POST', path, { body: message({ accountId: 'refused' }) })),
  );
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  for (const answer of answers) {
    expect([answer.status, answer.json['code']]).toEqual([503, 'unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
}

describe('while Redis is away', () => {
  it('A28 answers 503 in time, enqueues nothing later, and goes on without a restart', async () => {
    const api = await start();
    await api.call('POST', path, { body: message() });
    const lost = once(redis.client, 'close');
    await redis.server.kill();
    await lost;

    await refusedInTime(api, 100);
    expect((await api.call('GET', '/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(503);
    expect((await api.call('GET', '/v1/queues')).status).toBe(503);
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    const unready = await api.call('GET', '/readyz');
    expect([unready.status, unready.json['checks']]).toEqual([503, { redis: 'Redis does not answer' }]);
    const batch = await api.call('POST', `${path}/batch`, { body: `${JSON.stringify(message())}\n` });
    expect(batch.text).toContain('"status":"rejected","code":"unavailable"');

    await redis.server.restart();
    await ready(api);
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 2 });
  });

  it('A28 the same when Redis hangs instead of being gone', async () => {
    const api = await start();
    await api.call('POST', path, { body: message() });
    process.kill(redis.server.pid, 'SIGSTOP');
    try {
      await refusedInTime(api, 20);
    } finally {
      process.kill(redis.server.pid, 'SIGCONT');
    }
    await ready(api);
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 2 });
  });

  it('A29 answers 503 while Redis is full, and takes jobs again when it is not', async () => {
    const api = await start();
    await ready(api);
    await redis.client.config('SET', 'maxmemory', '1mb');
    const full = await api.call('POST', path, { body: message() });
    expect([full.status, full.json['code']]).toEqual([503, 'unavailable']);
    const batch = await api.call('POST', `${path}/batch`, { body: `${JSON.stringify(message())}\n` });
    expect(batch.text).toContain('"code":"unavailable"');
    await redis.client.config('SET', 'maxmemory', '0');
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
  });

  it('A29 is not ready while Redis may evict', async () => {
    const api = await start();
    await ready(api);
    for (const policy of ['allkeys-lru', 'volatile-lru']) {
      await redis.client.config('SET', 'maxmemory-policy', policy);
      const { status, json } = await api.call('GET', '/readyz');
      expect(status).toBe(503);
      expect((json['checks'] as Record<string, string>)['redis']).toContain(policy);
    }
  });
});
