import type { Role } from '@fairlane/runtime';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { ROLE_TOKENS, startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

/** Who may call what, written down a second time on purpose: a new or changed route fails until it is here too. */
const expected: Record<string, 'public' | Role[]> = {
  'post /v1/jobs/cancel': ['producer', 'operator'],
  'post /v1/jobs/{name}': ['producer', 'operator'],
  'post /v1/jobs/{name}/batch': ['producer', 'operator'],
  'get /v1/jobs/{id}': ['producer', 'viewer', 'operator'],
  'get /v1/jobs': ['producer', 'viewer', 'operator'],
  'post /v1/jobs/{id}/cancel': ['producer', 'operator'],
  'post /v1/jobs/{id}/effects/{name}/resolve': ['operator'],
  'put /v1/blobs': ['producer', 'operator'],
  'get /v1/blobs/{digest}': ['producer', 'operator'],
  'get /v1/jobs/{id}/payload': ['operator'],
  'post /v1/readings': ['producer', 'operator'],
  'put /v1/webhook-endpoints/{id}': ['producer', 'operator'],
  'get /v1/webhook-endpoints/{id}': ['producer', 'viewer', 'operator'],
  'delete /v1/webhook-endpoints/{id}': ['producer', 'operator'],
  'get /v1/dead-letters': ['producer', 'viewer', 'operator'],
  'get /v1/dead-letters/codes': ['producer', 'viewer', 'operator'],
  'post /v1/dead-letters/replay': ['operator'],
  'get /v1/operations': ['producer', 'operator'],
  'get /v1/operations/{id}': ['producer', 'operator'],
  'post /v1/operations/{id}/cancel': ['producer', 'operator'],
  'post /v1/dead-letters/{id}/replay': ['operator'],
  'delete /v1/dead-letters/{id}': ['operator'],
  'get /v1/queues': ['viewer', 'limits', 'operator'],
  'get /v1/queues/{queue}': ['viewer', 'limits', 'operator'],
  'get /v1/queues/{queue}/series': ['viewer', 'limits', 'operator'],
  'get /v1/events': ['viewer', 'limits', 'operator'],
  'get /v1/workers': ['viewer', 'limits', 'operator'],
  'post /v1/jobs/{id}/reclaim': ['operator'],
  'get /v1/scaling': ['viewer', 'limits', 'operator'],
  'get /v1/accounts': ['viewer', 'limits', 'operator'],
  'get /v1/accounts/{account}': ['viewer', 'limits', 'operator'],
  'put /v1/accounts/{account}': ['limits', 'operator'],
  'put /v1/accounts/{account}/limits/{group}': ['limits', 'operator'],
  'delete /v1/accounts/{account}/limits/{group}': ['limits', 'operator'],
  'post /v1/accounts/{account}/pause': ['limits', 'operator'],
  'post /v1/accounts/{account}/resume': ['limits', 'operator'],
  'get /metrics': ['viewer', 'operator'],
  'get /healthz': 'public',
  'get /readyz': 'public',
  'get /openapi.json': 'public',
  'get /docs': 'public',
};

const withPath = routes.map((route) => ({
  ...route,
  concrete: route.path.replaceAll('{account}', 'own').replaceAll(/\{\w+\}/g, 'x'),
}));
const guarded = withPath.filter((route) => route.access !== 'public');

describe('access', () => {
  it('is decided for every route, the operator always included', () => {
    const actual = Object.fromEntries(
      routes.map(({ method, path, access }) => [`${method} ${path}`, access]),
    );
    expect(actual).toEqual(expected);
    for (const { access } of guarded) expect(access).toContain('operator');
  });

  it('needs a token on every route that is not public', async () => {
    let api = await start();
    for (const [at, { method, concrete }] of guarded.entries()) {
      // Before an address that keeps calling without a token gets 429.
      if (at % 20 === 19) api = await start();
      const answer = await api.call(method, concrete, { token: null });
      expect([method, concrete, answer.status]).toEqual([method, concrete, 401]);
      expect(answer.json).toMatchObject({ code: 'unauthenticated', status: 401 });
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('takes a token from the authorization header only, and only a whole one', async () => {
    const api = await start();
    const { operator } = api.tokens;
    for (const authorization of ['', operator, `Basic ${operator}`, `Bearer ${operator}x`, 'Bearer wrong']) {
      const answer = await api.call('GET', '/v1/queues', { token: null, headers: { authorization } });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
    for (const query of [`access_token=${operator}`, `token=${operator}`]) {
      expect((await api.call('GET', `/v1/queues?${query}`, { token: null })).status).toBe(401);
    }
    expect((await api.call('GET', '/v1/queues')).status).toBe(200);
  });

  it('lets each role call its routes and no other', async () => {
    const api = await start();
    for (const { method, concrete, access } of guarded) {
      for (const role of ROLE_TOKENS) {
        const { status, json } = await api.call(method, concrete, { token: api.tokens[role] });
        const refused = status === 403 && json['code'] === 'forbidden';
        expect([method, concrete, role, refused]).toEqual([method, concrete, role, !access.includes(role)]);
      }
    }
  });

  it('keeps tokens limited to accounts off what shows the whole deployment', async () => {
    const api = await start();
    for (const { method, concrete, access, accountTokens } of guarded) {
      for (const role of ROLE_TOKENS.filter((role) => access.includes(role))) {
        const { json } = await api.call(method, concrete, { token: api.tokens[`own-${role}`] });
        const refused = json['detail'] === 'This needs a token that is not limited to accounts.';
        expect([method, concrete, refused]).toEqual([method, concrete, accountTokens === 'refused']);
      }
    }
  });

  it('tells nobody without a token which paths exist', async () => {
    const api = await start();
    for (const path of [
      '/',
      '/v1',
      '/v2/jobs',
      '//v1/queues',
      '/v1/queues/',
      '/V1/QUEUES',
      '/v1/jobs/a/b/c',
    ]) {
      expect([path, (await api.call('GET', path, { token: null })).status]).toEqual([path, 401]);
      expect([path, (await api.call('GET', path)).json['code']]).toEqual([path, 'not_found']);
    }
    expect((await api.call('DELETE', '/v1/queues', { token: null })).status).toBe(401);
    const wrongMethod = await api.call('DELETE', '/v1/queues');
    expect(wrongMethod.json['code']).toBe('method_not_allowed');
    expect(wrongMethod.headers.get('allow')).toBe('GET, HEAD');
  });

  it('answers 429 to an address that keeps guessing, and still serves a good token from there', async () => {
    const api = await start();
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 40; attempt += 1) {
      statuses.add((await api.call('GET', '/v1/queues', { token: `guess-${attempt}` })).status);
    }
    expect(statuses).toEqual(new Set([401, 429]));
    const limited = await api.call('GET', '/v1/queues', { token: 'guess' });
    expect(limited.json['code']).toBe('too_many_attempts');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.call('GET', '/v1/queues')).status).toBe(200);
  });

  it('sends security headers with every answer', async () => {
    const api = await start();
    for (const path of ['/healthz', '/v1/queues', '/nowhere']) {
      const { headers } = await api.call('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('strict-transport-security')).not.toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});
