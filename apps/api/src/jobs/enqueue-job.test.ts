import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES } from '@fairlane/blobs';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const path = '/v1/jobs/message.send';

describe('POST /v1/jobs/{name}', () => {
  it('accepts a job with 202 and answers the same one again with 200', async () => {
    const api = await start();
    const body = message();
    const first = await api.call('POST', path, { body });
    expect(first.status).toBe(202);
    expect(first.json).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/) as string,
      key: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      status: 'accepted',
      state: 'ready',
    });
    const reordered = Object.fromEntries(Object.entries(body).toReversed());
    const second = await api.call('POST', path, { body: reordered });
    expect(second.status).toBe(200);
    expect(second.json).toEqual({ ...first.json, status: 'duplicate' });
  });

  it('R12 answers another payload under the same key with 409 and the job that holds it', async () => {
    const api = await start();
    const body = message();
    const first = await api.call('POST', path, { body });
    const second = await api.call('POST', path, { body: { ...body, body: 'Another text' } });
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({ code: 'key_conflict', id: first.json['id'], key: first.json['key'] });
  });

  it('A02 accepts exactly one of fifty submits of one key at the same time', async () => {
    const api = await start();
    const body = message();
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.call('POST', path, { body })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 1 });
  });

  it.each([
    [{ delayMs: '60000' }, 'scheduled'],
    [{ runAt: new Date(Date.now() + 60_000).toISOString() }, 'scheduled'],
    [{ runAt: '2020-01-01T00:00:00+02:00' }, 'ready'],
    [{ delayMs: '0', priority: '7' }, 'ready'],
  ])('takes %j: the job is %s', async (query, state) => {
    const api = await start();
    const { status, json } = await api.call('POST', `${path}?${new URLSearchParams(query).toString()}`, {
      body: message(),
    });
    expect([status, json['state']]).toEqual([202, state]);
    const view = await api.call('GET', `/v1/jobs/${String(json['id'])}`);
    expect(view.json).toMatchObject({
      state,
      priority: Number((query as { priority?: string }).priority ?? 0),
    });
  });

  it.each([
    'delayMs=-1',
    'delayMs=1e3',
    'delayMs=NaN',
    'delayMs=',
    'delayMs=99999999999999',
    'delayMs=1&delayMs=2',
    'runAt=tomorrow',
    'runAt=2030-01-01T00:00:00',
    'runAt=9999-01-01T00:00:00Z',
    'delayMs=1&runAt=2026-01-01T00:00:00Z',
    'priority=2097152',
    'priority=1.5',
    'prioriti=1',
    '__proto__=1',
  ])('A09 refuses the query %s with 400 and enqueues nothing', async (query) => {
    const api = await start();
    const { status, json } = await api.call('POST', `${path}?${query}`, { body: message() });
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    expect((json['issues'] as unknown[]).length).toBeGreaterThan(0);
    const counts = await api.producer.queueCounts('outreach');
    expect(Object.values(counts).every((count) => count === 0)).toBe(true);
  });

  it('names every wrong field of a payload in a 422', async () => {
    const api = await start();
    const { status, json } = await api.call('POST', path, { body: message({ leadId: 7, channel: 'fax' }) });
    expect([status, json['code']]).toEqual([422, 'invalid_payload']);
    expect((json['issues'] as { path: string }[]).map((issue) => issue.path).toSorted()).toEqual([
      'channel',
      'leadId',
    ]);
    expect(json['detail']).toContain('leadId: ');
  });

  it.each(['', '{', 'null', '[]', '"text"', '{"a":1}{"b":2}', '\ufeff', '{"accountId":"a1",}'])(
    'answers the body %j with 422',
    async (body) => {
      const api = await start();
      const { status, json } = await api.call('POST', path, { body });
      expect([status, json['code']]).toEqual([422, 'invalid_payload']);
    },
  );

  it('answers an unknown job with 404, names that every object has included', async () => {
    const api = await start();
    for (const name of ['no.such', '__proto__', 'constructor', 'toString', 'a%2Fb', '%00', 'x'.repeat(128)]) {
      const { status, json } = await api.call('POST', `/v1/jobs/${name}`, { body: {} });
      expect([name, status, json['code']]).toEqual([name, 404, 'unknown_job']);
    }
    expect((await api.call('POST', '/v1/jobs/%ff', { body: {} })).status).toBe(400);
  });

  it('refuses a payload beyond the limit with 413, declared or not, and the connection stays usable', async () => {
    const api = await start();
    const body = JSON.stringify(message({ body: 'x'.repeat(MAX_PAYLOAD_BYTES) }));
    const declared = await api.call('POST', path, { body });
    expect([declared.status, declared.json['code']]).toEqual([413, 'payload_too_large']);
    const chunked = await fetch(api.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.tokens.producer}` },
      body: ReadableStream.from([Buffer.from(body.slice(0, 1000)), Buffer.from(body.slice(1000))]),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    await chunked.text();
    expect((await api.call('POST', path, { body: message() })).status).toBe(202);
  });

  it('refuses a compressed body with 415: a few bytes can stand for gigabytes', async () => {
    const api = await start();
    const { status, json } = await api.call('POST', path, {
      body: message(),
      headers: { 'content-encoding': 'gzip' },
    });
    expect([status, json['code']]).toEqual([415, 'unsupported_encoding']);
  });

  it('lets a token limited to accounts enqueue for those only', async () => {
    const api = await start();
    const token = api.tokens['own-producer'];
    expect((await api.call('POST', path, { token, body: message({ accountId: 'own' }) })).status).toBe(202);
    const foreign = await api.call('POST', path, { token, body: message({ accountId: 'other' }) });
    expect([foreign.status, foreign.json['code']]).toEqual([403, 'account_forbidden']);
    const wrong = await api.call('POST', path, { token, body: { accountId: 'other' } });
    expect(wrong.json['code']).toBe('invalid_payload');
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 1 });
  });

  it('A25 keys that reach a prototype are refused, and an account named __proto__ is an account', async () => {
    const api = await start();
    const text = JSON.stringify(message());
    for (const hostile of [
      '"__proto__":{"polluted":true}',
      '"constructor":{"prototype":{"polluted":true}}',
    ]) {
      const { status, json } = await api.call('POST', path, { body: text.replace('{', `{${hostile},`) });
      expect([status, json['code']]).toEqual([422, 'invalid_payload']);
    }
    for (const accountId of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const { status, json } = await api.call('POST', path, { body: message({ accountId }) });
      expect([accountId, status]).toEqual([accountId, 202]);
      expect((await api.call('GET', `/v1/jobs/${String(json['id'])}`)).json['account']).toBe(accountId);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('A07 keeps keys apart that only look alike', async () => {
    const api = await start();
    const leads = [
      'a:b',
      'a:b:c',
      'https://x.example/?q=1',
      '42',
      '😀',
      'x'.repeat(10_000),
      ' ',
      'a\u0301',
      'á',
    ];
    const ids = new Set<unknown>();
    for (const leadId of leads) {
      for (const accountId of ['a1', 'a2', 'a1:a']) {
        const { status, json } = await api.call('POST', path, { body: message({ leadId, accountId }) });
        expect([leadId.slice(0, 20), status]).toEqual([leadId.slice(0, 20), 202]);
        ids.add(json['id']);
      }
    }
    expect(ids.size).toBe(leads.length * 3);
  });

  it('gives every request an id, its own where the client sent a sound one', async () => {
    const api = await start();
    const given = await api.call('GET', '/nowhere', { headers: { 'x-request-id': 'trace-1' } });
    expect([given.headers.get('x-request-id'), given.json['requestId']]).toEqual(['trace-1', 'trace-1']);
    const replaced = await api.call('GET', '/nowhere', { headers: { 'x-request-id': 'a b"' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('writes no token, no payload and no query into the log', async () => {
    const api = await start();
    await api.call('POST', path, {
      body: message({ to: 'hunter2@example.com' }),
      token: api.tokens.producer,
    });
    await api.call('POST', path, { body: '{"to": "hunter2"' });
    await api.call('POST', `${path}?secret=hunter2`, { body: message() });
    await api.call('POST', path, { body: message(), token: 'hunter2' });
    const text = JSON.stringify(api.log);
    expect(text).toContain('/v1/jobs/message.send');
    expect(text).not.toContain('hunter2');
    for (const token of Object.values(api.tokens)) expect(text).not.toContain(token);
  });
});
