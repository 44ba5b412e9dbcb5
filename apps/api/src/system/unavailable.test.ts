import { once } from 'node:events';
import { UnavailableError } from '@fairlane/queue';
import { startFaultProxy } from '@fairlane/testkit';
import { startStopwatch, useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toProblem } from '../http/error-handler.js';
import { PRODUCER_LIMITS } from '../limits.js';
import { routes } from '../routes.js';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis({ appendonly: true });
const start = (redisUrl = redis.url) => startApi({ redisUrl, prefix: redis.prefix, ...PRODUCER_LIMITS });
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
  await expect.poll(async () => (await api.call('GET', '/readyz')).status).toBe(200);
}

function post(api: ApiUnderTest, count: number) {
  return Promise.all(Array.from({ length: count }, () => api.call('POST', path, { body: message() })));
}

/** The promise is two seconds; what as many good requests take on this machine comes on top. */
async function refusedInTime(api: ApiUnderTest, count: number, ownTimeMs: number): Promise<void> {
  const watch = startStopwatch();
  const answers = await post(api, count);
  expect(watch.ownMs()).toBeLessThan(2_000 + ownTimeMs);
  for (const answer of answers) {
    expect([answer.status, answer.json['code']]).toEqual([503, 'unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
}

function detailOf(error: Error): unknown {
  return toProblem(error).toJSON()['detail'];
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

const JOB_ID = 'AAAAAAAAAAAAAAAAAAAAAA';
/** A stream that goes on without end, and a file of no digest, which is not looked for. */
const NO_REDIS = new Set(['/v1/events', '/v1/blobs/{digest}']);

function concrete(path: string): string {
  const values: Record<string, string> = { id: JOB_ID, account: 'acme', group: 'email', queue: 'outreach' };
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? 'message.send');
}

function bodyFor(method: string, path: string): { body?: unknown } {
  if (method === 'get' || method === 'delete') return {};
  if (path.endsWith('/batch')) return { body: `${JSON.stringify(message())}\n` };
  if (path.endsWith('/resolve')) return { body: { outcome: 'applied' } };
  if (path.includes('/limits/')) return { body: { limit: 5, perMs: 1_000 } };
  if (path === '/v1/jobs/cancel') return { body: { filter: { account: 'acme' } } };
  return { body: path.includes('/accounts/') ? { weight: 7 } : message() };
}

describe('while Redis is away', () => {
  it('A28 answers 503 in time, enqueues nothing later, and goes on without a restart', async () => {
    const api = await start();
    const ownTimeMs = await timeOf(post(api, 100));
    const lost = once(redis.client, 'close');
    await redis.server.kill();
    try {
      await lost;
      await refusedInTime(api, 100, ownTimeMs);
      expect((await api.call('GET', '/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(503);
      expect((await api.call('GET', '/v1/queues')).status).toBe(503);
      expect((await api.call('GET', '/healthz')).status).toBe(200);
      const unready = await api.call('GET', '/readyz');
      expect([unready.status, unready.json['checks']]).toEqual([503, { redis: 'Redis does not answer' }]);
      const batch = await api.call('POST', `${path}/batch`, { body: `${JSON.stringify(message())}\n` });
      expect([batch.status, batch.json['code']]).toEqual([503, 'unavailable']);
    } finally {
      await redis.server.restart();
    }
    await ready(api);
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 101 });
  });

  it('A28 answers 503 in time on every route that needs Redis, and what was refused is not done later', async () => {
    const api = await start();
    const needs = routes.filter(({ path }) => path.startsWith('/v1/') && !NO_REDIS.has(path));
    const account = '/v1/accounts/acme';
    await api.call('PUT', account, { body: { weight: 2 } });
    const lost = once(redis.client, 'close');
    await redis.server.kill();
    try {
      await lost;
      const watch = startStopwatch();
      const answers = await Promise.all(
        needs.map(async ({ method, path }) => {
          const { status } = await api.call(method, concrete(path), bodyFor(method, path));
          return [method, path, status];
        }),
      );
      expect(watch.ownMs()).toBeLessThan(3_000);
      // Input that is refused needs no Redis to be refused.
      const asked = answers.filter(([, , status]) => status !== 400 && status !== 422);
      expect(asked).toEqual(asked.map(([method, path]) => [method, path, 503]));
      expect(asked.length).toBeGreaterThan(20);
    } finally {
      await redis.server.restart();
    }
    await ready(api);
    expect((await api.call('GET', account)).json).toMatchObject({ weight: 2, paused: null });
  });

  it('A28 the same when Redis hangs instead of being gone', async () => {
    const api = await start();
    const ownTimeMs = await timeOf(post(api, 20));
    process.kill(redis.server.pid, 'SIGSTOP');
    try {
      await refusedInTime(api, 20, ownTimeMs);
    } finally {
      process.kill(redis.server.pid, 'SIGCONT');
    }
    await ready(api);
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 21 });
  });

  it('A26 A28 answers 503 in time when its connections are half-open, and makes new ones by itself', async () => {
    const proxy = await startFaultProxy({ target: { port: redis.server.port } });
    try {
      const api = await start(`redis://127.0.0.1:${proxy.port}`);
      const ownTimeMs = await timeOf(post(api, 5));
      expect(proxy.silence()).toBeGreaterThan(0);
      await refusedInTime(api, 5, ownTimeMs);
      await ready(api);
      await expect.poll(async () => (await api.call('POST', path, { body: message() })).status).toBe(202);
      expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 6 });
    } finally {
      await proxy.close();
    }
  });

  it('A29 answers 503 while Redis is full, and takes jobs again when it is not', async () => {
    const api = await start();
    await ready(api);
    await redis.client.config('SET', 'maxmemory', '1mb');
    const full = await api.call('POST', path, { body: message() });
    expect([full.status, full.json['code']]).toEqual([503, 'unavailable']);
    expect(full.json['detail']).toMatch(/^Redis refuses writes: OOM /);
    const batch = await api.call('POST', `${path}/batch`, { body: `${JSON.stringify(message())}\n` });
    expect(batch.text).toContain('"code":"unavailable"');
    await redis.client.config('SET', 'maxmemory', '0');
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
  });

  it('A28 names what is missing: the ledger is not the queue', () => {
    const away = new UnavailableError('the ledger of effects did not answer', { mayHaveRun: false });
    expect(detailOf(away)).toBe('The ledger of effects did not answer.');
    const full = 'Redis does not answer, is full or takes no writes.';
    expect(detailOf(new Error("READONLY You can't write against a read only replica."))).toBe(full);
  });

  it('A29 says once why it refuses, however many it refuses', async () => {
    const api = await start();
    await ready(api);
    await redis.client.config('SET', 'maxmemory', '1mb');
    for (const { status } of await post(api, 20)) expect(status).toBe(503);
    const reasons = api.log.filter(({ msg }) => msg === 'request failed').map((line) => JSON.stringify(line));
    expect(reasons).toEqual([expect.stringContaining('OOM command not allowed')]);
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
