import { MAX_PAYLOAD_BYTES } from '@fairlane/blobs';
import { catalogue as product } from '@fairlane/jobs/contracts';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { contentDigest, sha256 } from '../testing-support/digests.js';
import { routes } from '../routes.js';
import { message } from '../testing-support/catalogue.js';
import { deadJobs, Outside } from '../testing-support/dead-jobs.js';
import { readDocument } from '../testing-support/documented-answers.js';
import { buildDocument } from './build-document.js';
import { gatedHandler, startWorker } from '../testing-support/start-worker.js';
import { startApi, type ApiUnderTest, type CallOptions } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

type Example = readonly [status: number, path: string, options?: CallOptions];

/** Calls of every operation, one for each success and for its own errors. An operation without any fails. */
async function examples(api: ApiUnderTest): Promise<Record<string, readonly Example[]>> {
  const [sent, unclear] = await deadJobs(redis, api, Outside.hangsUp, [{}, {}]);
  const [refused] = await deadJobs(redis, api, Outside.refuses);
  const { handler, started } = gatedHandler();
  await startWorker(redis, handler, { slots: 1 });
  const runs = message();
  const running = String((await api.call('POST', '/v1/jobs/message.send', { body: runs })).json['id']);
  await expect.poll(() => started.has(String(runs['leadId']))).toBe(true);
  const held = message();
  const { json } = await api.call('POST', '/v1/jobs/message.send', { body: held });
  const id = String(json['id']);
  const later = await api.call('POST', '/v1/jobs/message.send?delayMs=60000', { body: message() });
  const scheduled = String(later.json['id']);
  await api.lanes.pause('a1', 'somebody');
  const keyed = { headers: { 'idempotency-key': 'k1' } };
  const bulk = await api.call('POST', '/v1/dead-letters/replay', { body: { filter: { account: 'none' } } });
  const operation = String(bulk.json['operation']);
  const endpoint = { accountId: 'a1', url: 'https://9.9.9.9/hook' };
  const reading = { accountId: 'a1', host: 'db-1', mount: '/', percent: 40, at: '2024-05-01T08:00:00Z' };
  const hours = { zone: 'Europe/Paris', days: [1, 2], from: '09:00', to: '17:00' };
  return {
    'post-jobs-name': [
      [202, '/v1/jobs/message.send?delayMs=1000&priority=3', { body: message() }],
      [200, '/v1/jobs/message.send', { body: held }],
      [409, '/v1/jobs/message.send', { body: { ...held, body: 'Another text' } }],
      [422, '/v1/jobs/message.send', { body: { ...held, step: 'x' } }],
      [404, '/v1/jobs/no.such', { body: held }],
      [400, '/v1/jobs/message.send?delayMs=x', { body: held }],
      [413, '/v1/jobs/message.send', { body: message({ body: 'x'.repeat(MAX_PAYLOAD_BYTES) }) }],
      [415, '/v1/jobs/message.send', { body: held, headers: { 'content-encoding': 'br' } }],
      [403, '/v1/jobs/message.send', { body: held, token: api.tokens['own-producer'] }],
    ],
    'post-jobs-name-batch': [
      [
        200,
        '/v1/jobs/message.send/batch',
        { body: `${JSON.stringify(message())}\n{}\n${JSON.stringify(held)}` },
      ],
      [404, '/v1/jobs/no.such/batch', { body: '' }],
      [415, '/v1/jobs/message.send/batch', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
    ],
    'get-jobs-id': [
      [200, `/v1/jobs/${id}`],
      [404, '/v1/jobs/nope'],
    ],
    'get-jobs': [
      [200, '/v1/jobs?account=a1&limit=5'],
      [400, '/v1/jobs?state=x'],
    ],
    'post-jobs-cancel': [
      [200, '/v1/jobs/cancel', { body: { all: true, dryRun: true } }],
      [202, '/v1/jobs/cancel', { headers: { 'idempotency-key': 'k2' }, body: { filter: { account: 'x' } } }],
      [409, '/v1/jobs/cancel', { headers: { 'idempotency-key': 'k2' }, body: { filter: { account: 'y' } } }],
      [422, '/v1/jobs/cancel', { body: {} }],
      [400, '/v1/jobs/cancel', { body: { filter: { state: 'lost' } } }],
      [403, '/v1/jobs/cancel', { token: api.tokens['own-producer'], body: { filter: { account: 'x' } } }],
    ],
    'post-jobs-id-cancel': [
      [200, `/v1/jobs/${scheduled}/cancel`],
      [409, `/v1/jobs/${scheduled}/cancel`],
      [404, '/v1/jobs/nope/cancel'],
      [403, '/v1/jobs/nope/cancel', { token: api.tokens['own-producer'] }],
    ],
    'post-jobs-id-effects-name-resolve': [
      [200, `/v1/jobs/${sent}/effects/send/resolve`, { body: { outcome: 'applied', externalId: 'm-7' } }],
      [409, `/v1/jobs/${sent}/effects/send/resolve`, { body: { outcome: 'not_applied' } }],
      [404, `/v1/jobs/${unclear}/effects/other/resolve`, { body: { outcome: 'applied' } }],
      [404, '/v1/jobs/nope/effects/send/resolve', { body: { outcome: 'applied' } }],
      [400, `/v1/jobs/${unclear}/effects/send/resolve`, { body: { outcome: 'maybe' } }],
    ],
    'put-blobs': [
      [201, '/v1/blobs', { body: 'a,b' }],
      [400, '/v1/blobs', { body: 'a,b', headers: { 'content-digest': 'sha-256=x' } }],
      [422, '/v1/blobs', { body: 'a,b', headers: { 'content-digest': contentDigest('a,c') } }],
      [415, '/v1/blobs', { body: 'a,b', headers: { 'content-encoding': 'gzip' } }],
    ],
    'get-blobs-digest': [
      [200, `/v1/blobs/${sha256('a,b')}`],
      [404, `/v1/blobs/${sha256('a,c')}`],
      [404, '/v1/blobs/nope'],
      [403, `/v1/blobs/${sha256('a,b')}`, { token: api.tokens['own-operator'] }],
    ],
    'get-jobs-id-payload': [
      [200, `/v1/jobs/${id}/payload`],
      [404, '/v1/jobs/nope/payload'],
    ],
    'post-readings': [
      [201, '/v1/readings', { body: reading }],
      [403, '/v1/readings', { body: reading, token: api.tokens['own-producer'] }],
      [404, '/v1/readings', { body: { ...reading, percent: 100 } }],
      [422, '/v1/readings', { body: { ...reading, percent: 'full' } }],
    ],
    'put-webhook-endpoints-id': [
      [201, '/v1/webhook-endpoints/e1', { body: endpoint }],
      [200, '/v1/webhook-endpoints/e1', { body: { ...endpoint, disabled: true } }],
      [409, '/v1/webhook-endpoints/e2', { body: endpoint }],
      [422, '/v1/webhook-endpoints/e1', { body: { ...endpoint, url: 'http://127.0.0.1/' } }],
      [400, '/v1/webhook-endpoints/e1', { body: { ...endpoint, secret: 'short' } }],
      [403, '/v1/webhook-endpoints/e1', { body: endpoint, token: api.tokens['own-producer'] }],
    ],
    'get-webhook-endpoints-id': [
      [200, '/v1/webhook-endpoints/e1'],
      [404, '/v1/webhook-endpoints/e1', { token: api.tokens['own-viewer'] }],
    ],
    'delete-webhook-endpoints-id': [
      [403, '/v1/webhook-endpoints/e1', { token: api.tokens['own-producer'] }],
      [204, '/v1/webhook-endpoints/e1'],
      [404, '/v1/webhook-endpoints/e1'],
    ],
    'get-dead-letters': [
      [200, '/v1/dead-letters?account=a1&code=rejected&limit=5'],
      [400, '/v1/dead-letters?since=yesterday'],
    ],
    'get-dead-letters-codes': [
      [200, '/v1/dead-letters/codes?account=a1'],
      [400, '/v1/dead-letters/codes?since=yesterday'],
    ],
    'post-dead-letters-replay': [
      [200, '/v1/dead-letters/replay', { body: { all: true, dryRun: true } }],
      [202, '/v1/dead-letters/replay', { ...keyed, body: { filter: { account: 'nobody' } } }],
      [409, '/v1/dead-letters/replay', { ...keyed, body: { filter: { account: 'somebody' } } }],
      [422, '/v1/dead-letters/replay', { body: {} }],
      [400, '/v1/dead-letters/replay', { body: { all: true, perSecond: 0 } }],
    ],
    'get-operations': [[200, '/v1/operations']],
    'get-operations-id': [
      [200, `/v1/operations/${operation}`],
      [404, '/v1/operations/nope'],
    ],
    'post-operations-id-cancel': [
      [200, `/v1/operations/${operation}/cancel`],
      [404, '/v1/operations/nope/cancel'],
      [403, '/v1/operations/nope/cancel', { token: api.tokens['own-producer'] }],
    ],
    'post-dead-letters-id-replay': [
      [409, `/v1/dead-letters/${unclear}/replay`],
      [202, `/v1/dead-letters/${refused}/replay`],
      [409, `/v1/dead-letters/${refused}/replay`],
      [404, '/v1/dead-letters/nope/replay'],
    ],
    'delete-dead-letters-id': [
      [409, `/v1/dead-letters/${scheduled}`],
      [204, `/v1/dead-letters/${unclear}`],
      [404, `/v1/dead-letters/${unclear}`],
    ],
    'get-queues': [[200, '/v1/queues']],
    'get-queues-queue': [
      [200, '/v1/queues/outreach'],
      [404, '/v1/queues/nope'],
    ],
    'get-queues-queue-series': [
      [200, '/v1/queues/outreach/series?minutes=3'],
      [400, '/v1/queues/outreach/series?minutes=62'],
      [404, '/v1/queues/nope/series'],
    ],
    'get-events': [[200, '/v1/events']],
    'get-accounts': [
      [200, '/v1/accounts?limit=5&search=a'],
      [400, '/v1/accounts?limit=x'],
    ],
    'get-accounts-account': [
      [200, '/v1/accounts/a1'],
      [404, '/v1/accounts/nobody'],
    ],
    'put-accounts-account': [
      [200, '/v1/accounts/a1', { body: { weight: 2, windows: [hours] } }],
      [422, '/v1/accounts/a1', { body: { weight: -2 } }],
      [403, '/v1/accounts/a1', { body: { weight: 2 }, token: api.tokens['own-limits'] }],
    ],
    'put-accounts-account-limits-group': [
      [200, '/v1/accounts/a1/limits/email', { body: { limit: 2, perMs: 1000 } }],
      [422, '/v1/accounts/a1/limits/fax', { body: { limit: 2, perMs: 1000 } }],
    ],
    'delete-accounts-account-limits-group': [
      [200, '/v1/accounts/a1/limits/email'],
      [422, '/v1/accounts/a1/limits/fax'],
    ],
    'post-accounts-account-pause': [[200, '/v1/accounts/a1/pause']],
    'post-accounts-account-resume': [[200, '/v1/accounts/a1/resume']],
    'get-workers': [[200, '/v1/workers']],
    'post-jobs-id-reclaim': [
      [200, `/v1/jobs/${running}/reclaim`],
      [409, `/v1/jobs/${scheduled}/reclaim`],
      [404, '/v1/jobs/nope/reclaim'],
      [403, '/v1/jobs/nope/reclaim', { token: api.tokens['own-operator'] }],
    ],
    'get-scaling': [
      [200, '/v1/scaling?queues=outreach,bulk&min=0&max=20&targetAgeMs=30000'],
      [200, '/v1/scaling?format=plain'],
      [404, '/v1/scaling?queues=nope'],
      [400, '/v1/scaling?min=5&max=4'],
    ],
    'get-metrics': [[200, '/metrics']],
    'get-healthz': [[200, '/healthz']],
    'get-readyz': [[200, '/readyz']],
    'get-openapi.json': [[200, '/openapi.json']],
    'get-docs': [[200, '/docs']],
  };
}

describe('OpenAPI document', () => {
  it('describes every route, each operation with an id of its own', async () => {
    const api = await start();
    const { operations } = readDocument((await api.call('GET', '/openapi.json', { token: null })).json);
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it('is kept by every operation: each success and each of its errors', async () => {
    const api = await start();
    const { operations, differences } = readDocument((await api.call('GET', '/openapi.json')).json);
    const calls = await examples(api);
    for (const { path, method, operation } of operations) {
      const own = calls[operation.operationId] ?? [];
      const seen = new Set<number>();
      for (const [status, url, options] of own) {
        const answer = await api.call(method, url, options);
        seen.add(answer.status);
        expect([method, url, answer.status, differences(path, method, answer)]).toEqual([
          method,
          url,
          status,
          [],
        ]);
      }
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      expect([operation.operationId, [...seen]]).toEqual([
        operation.operationId,
        expect.arrayContaining(successes.map(Number)) as number[],
      ]);
    }
  });

  it('is kept by the errors that access control gives, on every operation', async () => {
    const api = await start();
    const { operations, differences } = readDocument((await api.call('GET', '/openapi.json')).json);
    for (const { path, method } of operations) {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const route = routes.find((one) => one.path === path && one.method === method);
      const roles = ['producer', 'viewer', 'limits', 'own-limits', 'own-operator'] as const;
      for (const token of [null, 'wrong', ...roles.map((role) => api.tokens[role])]) {
        if (route?.access === 'public') continue;
        const answer = await api.call(method, url, { token });
        expect([method, url, differences(path, method, answer)]).toEqual([method, url, []]);
      }
    }
  });

  it('shows the payload of every declared job, recursive ones too, in schemas that say what is taken', async () => {
    const api = await start();
    const { json } = await api.call('GET', '/openapi.json');
    const { schemas } = (json as { components: { schemas: object } }).components;
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(json, 'api');
    const fits = (name: string, payload: unknown) =>
      ajv.validate({ $ref: `api#/components/schemas/${name}` }, payload);
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['message.send', 'alert.raise']));
    const alert = { accountId: 'a1', host: 'h1', readings: [1] };
    for (const [name, payload, fitting] of [
      ['message.send', message(), true],
      ['message.send', message({ step: 'x' }), false],
      ['message.send', {}, false],
      ['alert.raise', alert, true],
      ['alert.raise', { ...alert, details: { deep: [{ deeper: [null, 1, 'x'] }] } }, true],
      ['alert.raise', { ...alert, more: 1 }, false],
    ] as const) {
      expect([name, payload, fits(name, payload)]).toEqual([name, payload, fitting]);
      const { status } = await api.call('POST', `/v1/jobs/${name}`, { body: payload });
      expect([name, payload, status < 300 || status === 409]).toEqual([name, payload, fitting]);
    }
  });

  it('describes the jobs that the product ships', () => {
    expect(JSON.stringify(buildDocument(routes, product))).toContain('outreach.send');
  });
});

describe('/docs', () => {
  it('is a page without scripts that asks for nothing from elsewhere', async () => {
    const api = await start();
    const { status, headers, text } = await api.call('GET', '/docs', { token: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='/,
    );
    expect(text).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\bon\w+=|https?:/i);
    for (const { path } of routes) expect(text).toContain(path);
    expect(text).toContain('key_conflict');
  });
});
