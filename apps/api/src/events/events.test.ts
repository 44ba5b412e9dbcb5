import { connect } from 'node:net';
import { mergeChanges, NO_CHANGES } from '@fairlane/queue';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { openEvents, type EventClient } from '../testing-support/event-client.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';
import { EventStream } from './event-stream.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

async function enqueue(api: ApiUnderTest, accountId: string): Promise<string> {
  const { json } = await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId }) });
  return String(json['id']);
}

/** All that a stream has told, as one. */
function told({ events }: EventClient) {
  return events.map(({ data }) => data).reduce(mergeChanges, NO_CHANGES);
}

describe('GET /v1/events', () => {
  it('names the queue, the account and the job of what happens, and the account that a person changes', async () => {
    const api = await start();
    const stream = await openEvents(api, { token: api.tokens.viewer });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('cache-control')).toContain('no-store');
    const id = await enqueue(api, 'a1');
    await expect
      .poll(() => told(stream))
      .toMatchObject({
        queues: ['outreach'],
        accounts: ['a1'],
        jobs: [{ id, queue: 'outreach', account: 'a1' }],
      });
    await api.call('POST', '/v1/accounts/other/pause');
    await expect.poll(() => told(stream).accounts).toContain('other');
    expect(told(stream)).toMatchObject({ more: false, workers: false, operations: [] });
  });

  it('tells a burst as one bounded event a turn, and that there is more', async () => {
    const api = await start();
    const startedAt = performance.now();
    const stream = await openEvents(api);
    const lines = Array.from({ length: 1_500 }, (_value, at) =>
      JSON.stringify(message({ accountId: `a${at}` })),
    );
    await api.call('POST', '/v1/jobs/message.send/batch', { body: lines.join('\n') });
    await expect.poll(() => told(stream).more).toBe(true);
    for (const { data } of stream.events) {
      expect(data.jobs.length).toBeLessThanOrEqual(100);
      expect(data.accounts.length).toBeLessThanOrEqual(100);
    }
    // One a turn at most, and a turn is a tenth of a second here.
    expect(stream.events.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 1);
  });

  it('goes on where a stream broke; what is too long ago or no place at all is to be read again', async () => {
    const api = await start();
    const broken = await openEvents(api);
    await enqueue(api, 'seen');
    await expect.poll(() => broken.events.length).toBeGreaterThan(0);
    broken.close();
    const id = await enqueue(api, 'missed');
    const resumed = await openEvents(api, { lastEventId: broken.events.at(-1)?.id ?? '' });
    await expect.poll(() => told(resumed).jobs.map((job) => job.id)).toContain(id);
    expect(resumed.events[0]?.data.reset).toBeUndefined();
    for (const lastEventId of ['0', 'x', '1e3', '9'.repeat(15), '-1']) {
      const lost = await openEvents(api, { lastEventId });
      await expect.poll(() => lost.events[0]?.data).toMatchObject({ reset: true, more: true });
    }
  });

  it('tells a token limited to accounts of those alone, not even how much happens to others', async () => {
    const api = await start();
    const stream = await openEvents(api, { token: api.tokens['own-viewer'] });
    const all = await openEvents(api);
    const lines = Array.from({ length: 300 }, () => JSON.stringify(message({ accountId: 'other' })));
    await api.call('POST', '/v1/jobs/message.send/batch', { body: lines.join('\n') });
    await expect.poll(() => told(all).more).toBe(true);
    const id = await enqueue(api, 'own');
    await expect.poll(() => stream.events.length).toBeGreaterThan(0);
    expect(told(stream)).toEqual({
      ...NO_CHANGES,
      accounts: ['own'],
      jobs: [{ id, queue: 'outreach', account: 'own' }],
    });
  });

  it('keeps quiet connections alive, and ends streams when the API stops', async () => {
    const api = await start();
    const stream = await openEvents(api);
    await expect.poll(() => stream.heartbeats()).toBeGreaterThan(1);
    expect(stream.events).toEqual([]);
    api.events.close();
    await stream.ended;
    expect((await api.call('GET', '/v1/events')).json['code']).toBe('too_many_streams');
  });

  it('has a bound on streams; the API answers beside them, and a stream that closes makes room', async () => {
    const api = await start();
    const streams = await Promise.all(Array.from({ length: 100 }, () => openEvents(api)));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await api.call('GET', '/v1/events');
    expect([refused.status, refused.json['code'], refused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_streams',
      '10',
    ]);
    expect((await api.call('GET', '/v1/queues')).status).toBe(200);
    expect((await openEvents(api, { token: api.tokens.viewer })).status).toBe(200);
    streams[0]?.close();
    await expect.poll(async () => (await openEvents(api)).status).toBe(200);
    for (const each of streams) each.close();
    await expect.poll(() => api.events.streamCount).toBe(2);
  });

  it('answers HEAD without a stream', async () => {
    const api = await start();
    expect((await api.call('HEAD', '/v1/events')).status).toBe(200);
    expect(api.events.streamCount).toBe(0);
  });

  it('A28 outlives an absent Redis', async () => {
    const api = await start();
    const stream = await openEvents(api);
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await expect.poll(async () => (await api.call('GET', '/readyz')).status).toBe(200);
    const id = await enqueue(api, 'a1');
    await expect.poll(() => told(stream).jobs.map((job) => job.id)).toContain(id);
  });
});

describe('a client that reads nothing', () => {
  it('costs one event of memory and is told the latest when it reads again', async () => {
    const stream = new EventStream(() => undefined);
    for (let at = 1; at <= 10_000; at += 1) {
      stream.push({ ...NO_CHANGES, jobs: [{ id: `j${at}`, queue: 'outreach' }], accounts: [`a${at}`] }, at);
      stream.beat();
    }
    expect((await stream.next()).value).toContain('retry:');
    const { value } = await stream.next();
    const text = String(value);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('id: 10000\n');
    expect(text).toContain('"j10000"');
    expect(text).toContain('"more":true');
    stream.end();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('does not hold up the others', async () => {
    const api = await start();
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(
      `GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.tokens.operator}\r\n\r\n`,
    );
    await expect.poll(() => api.events.streamCount).toBe(1);
    const stream = await openEvents(api);
    for (let turn = 0; turn < 5; turn += 1) {
      const id = await enqueue(api, `a${turn}`);
      await expect.poll(() => told(stream).jobs.map((job) => job.id)).toContain(id);
    }
  });
});
