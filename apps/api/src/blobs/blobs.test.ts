import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { MAX_PAYLOAD_BYTES, MAX_SOURCE_BYTES } from '@fairlane/blobs';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { contentDigest, sha256 } from '../testing-support/digests.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const start = (options: { hasBlobStore?: boolean } = {}) =>
  startApi({ redisUrl: redis.url, prefix: redis.prefix, ...options });
const enqueue = '/v1/jobs/message.send';

describe('PUT /v1/blobs', () => {
  it('stores what a producer sends and answers what payloads are to name', async () => {
    const api = await start();
    const body = Buffer.from('id,name\n1,Ann\n');
    const token = api.tokens['own-producer'];
    const headers = { 'content-digest': contentDigest(body) };
    const { status, json } = await api.call('PUT', '/v1/blobs', { token, body, headers });
    expect([status, json]).toEqual([
      201,
      { source: expect.stringMatching(/^blob:/) as string, digest: sha256(body), bytes: body.length },
    ]);
    const source = String(json['source']);
    expect(await api.blobs.readAll(source, { maxBytes: 100 })).toEqual(body);
  });

  it('refuses bytes that are not those announced, and a digest that cannot be checked', async () => {
    const api = await start();
    for (const [header, code] of [
      [contentDigest('other'), 'digest_mismatch'],
      ['sha-256=:AAAA:', 'invalid_digest'],
      ['md5=:AAAA:', 'invalid_digest'],
    ] as const) {
      const answer = await api.call('PUT', '/v1/blobs', {
        body: 'a,b',
        headers: { 'content-digest': header },
      });
      expect([header, answer.json['code']]).toEqual([header, code]);
    }
    expect(await api.blobs.find(sha256('a,b'))).toBeUndefined();
  });

  it('R14 refuses more than a gigabyte before it is on its way', async () => {
    const api = await start();
    const request = httpRequest(`${api.url}/v1/blobs`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${api.tokens.producer}`, 'content-length': MAX_SOURCE_BYTES + 1 },
    });
    request.on('error', () => undefined);
    request.write('x');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await text(response))]).toEqual([
      413,
      expect.objectContaining({ code: 'payload_too_large' }) as unknown,
    ]);
    request.destroy();
  });

  it('keeps nothing of an upload that was cut off', async () => {
    const api = await start();
    const request = httpRequest(`${api.url}/v1/blobs`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${api.tokens.producer}`, 'content-length': 1_000_000 },
    });
    request.on('error', () => undefined);
    request.write(Buffer.alloc(500_000));
    await expect.poll(async () => redis.client.keys(`${redis.prefix}:blobs:holders:*`)).toHaveLength(1);
    request.destroy();
    await expect.poll(async () => redis.client.keys(`${redis.prefix}:blobs:holders:*`)).toEqual([]);
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('says how to have a store where there is none', async () => {
    const api = await start({ hasBlobStore: false });
    const { status, json } = await api.call('PUT', '/v1/blobs', { body: 'a' });
    expect([status, json['code']]).toEqual([501, 'no_blob_store']);
    expect(json['title']).toContain('FAIRLANE_BLOB_STORE');
  });
});

describe('GET /v1/blobs/{digest}', () => {
  it('streams the bytes to producers and operators, with their digest, and leaves an audit line', async () => {
    const api = await start();
    const body = Buffer.alloc(300_000, 'a,b\n');
    await api.call('PUT', '/v1/blobs', { body });
    for (const role of ['producer', 'operator'] as const) {
      const answer = await api.call('GET', `/v1/blobs/${sha256(body)}`, { token: api.tokens[role] });
      expect([answer.status, answer.text.length]).toEqual([200, body.length]);
      expect(answer.headers.get('content-digest')).toBe(contentDigest(body));
    }
    expect(api.log.filter(({ audit, action }) => audit === true && action === 'read_blob')).toHaveLength(2);
  });

  it('is shut to tokens limited to accounts, since a blob belongs to none', async () => {
    const api = await start();
    await api.call('PUT', '/v1/blobs', { body: 'a' });
    for (const role of ['own-producer', 'own-operator'] as const) {
      const { json } = await api.call('GET', `/v1/blobs/${sha256('a')}`, { token: api.tokens[role] });
      expect([role, json['code']]).toEqual([role, 'account_forbidden']);
    }
  });
});

describe('a large payload', () => {
  it('A30 is taken up to 32 MiB, leaves Redis, and is read back as it was sent', async () => {
    const api = await start();
    const body = JSON.stringify(message({ body: 'x'.repeat(MAX_PAYLOAD_BYTES - 1_000) }));
    const { status, json } = await api.call('POST', enqueue, { body });
    expect(status).toBe(202);
    const id = String(json['id']);
    expect(await redis.client.hstrlen(`${redis.prefix}:outreach:${id}`, 'data')).toBeLessThan(400);
    const payload = await api.call('GET', `/v1/jobs/${id}/payload`);
    expect([payload.status, payload.headers.get('content-type'), payload.text === body]).toEqual([
      200,
      'application/json; charset=utf-8',
      true,
    ]);
    const audited = api.log.find(({ action }) => action === 'read_payload');
    expect(audited).toMatchObject({ audit: true, who: 'operator', target: { id, account: 'a1' } });
  });

  it('R14 is received two at a time, and all that wait get their turn', async () => {
    const api = await start();
    const bodies = Array.from({ length: 6 }, () => message({ body: 'x'.repeat(2_000_000) }));
    const answers = await Promise.all(bodies.map(async (body) => api.call('POST', enqueue, { body })));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(202));
  });

  it('is refused with 413 where there is no store, which is named', async () => {
    const api = await start({ hasBlobStore: false });
    const { status, json } = await api.call('POST', enqueue, { body: message({ body: 'x'.repeat(70_000) }) });
    expect([status, json['code']]).toEqual([413, 'payload_too_large']);
    expect(json['detail']).toContain('set FAIRLANE_BLOB_STORE');
  });

  it('of a batch is taken up to a mebibyte', async () => {
    const api = await start();
    const lines = [500_000, 1_100_000, 10].map((bytes) =>
      JSON.stringify(message({ body: 'x'.repeat(bytes) })),
    );
    const { text: answers } = await api.call('POST', `${enqueue}/batch`, { body: lines.join('\n') });
    const statuses = answers
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { status?: string; code?: string });
    expect(statuses.map(({ status, code }) => status && (code ?? status))).toEqual([
      'accepted',
      'payload_too_large',
      'accepted',
      undefined,
    ]);
  });
});

describe('GET /v1/jobs/{id}/payload', () => {
  it('answers an inline payload as it stands, and what cannot be read as text', async () => {
    const api = await start();
    const body = message();
    const { json } = await api.call('POST', enqueue, { body });
    const path = `/v1/jobs/${String(json['id'])}/payload`;
    expect((await api.call('GET', path)).json).toEqual(body);
    await redis.client.hset(`${redis.prefix}:outreach:${String(json['id'])}`, 'data', '{bad');
    const raw = await api.call('GET', path);
    expect([raw.headers.get('content-type'), raw.text]).toEqual(['text/plain; charset=utf-8', '{bad']);
  });

  it('knows no job of a foreign account, and says when a payload is gone', async () => {
    const api = await start();
    const { json } = await api.call('POST', enqueue, { body: message({ body: 'x'.repeat(70_000) }) });
    const path = `/v1/jobs/${String(json['id'])}/payload`;
    const foreign = await api.call('GET', path, { token: api.tokens['own-operator'] });
    expect([foreign.status, foreign.json['code']]).toEqual([404, 'job_not_found']);
    const data = await redis.client.hget(`${redis.prefix}:outreach:${String(json['id'])}`, 'data');
    const { blob, use } = JSON.parse(data ?? '') as { blob: string; use: string };
    await api.blobs.release(blob, `job:${String(json['id'])}:${use}`);
    await api.blobs.sweep({ stillNeeded: async () => [] });
    expect((await api.call('GET', path)).json['code']).toBe('payload_gone');
  });
});
