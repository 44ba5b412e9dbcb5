import { once } from 'node:events';
import { PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, vi } from 'vitest';
import { BATCH_PATH, ndjson, openBatch } from '../testing-support/batch-client.js';
import { catalogueWith, message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';
import { startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () =>
  startApi({
    redisUrl: redis.url,
    prefix: redis.prefix,
    catalogue: catalogueWith({ maxWaiting: 20, maxWaitingPerAccount: 20 }),
  });
const messages = (count: number) => Array.from({ length: count }, () => message());

describe('back-pressure', () => {
  it('R14 answers 429 with Retry-After while the queue is full, and a duplicate all the same', async () => {
    const api = await start();
    const held = messages(20);
    expect((await api.call('POST', BATCH_PATH, { body: ndjson(held) })).text).toContain('"accepted":20');
    const full = await api.call('POST', '/v1/jobs/message.send', { body: message() });
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '5']);
    expect(full.json).toMatchObject({
      code: 'queue_full',
      detail: '20 jobs wait in the queue outreach, as many as may (maxWaiting)',
    });
    expect(full.json['issues']).toBeUndefined();
    expect((await api.call('POST', '/v1/jobs/message.send', { body: held[3] })).status).toBe(200);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 20 });
    expect((await api.call('GET', '/metrics')).text).toContain('outcome="refused"} 1');
  });

  it('reads a batch no further while the queue is full', async () => {
    const api = await start();
    const { request, response } = await openBatch(api);
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (part: string) => (text += part));
    const count = 6_000;
    let sent = 0;
    let writable = true;
    request.on('drain', () => (writable = true));
    const pump = setInterval(() => {
      while (writable && sent < 100 * count) {
        writable = request.write(ndjson(messages(100)));
        sent += 100;
      }
    }, 1);
    // Nothing moves any more once all buffers on the way are full.
    let last = -1;
    await vi.waitUntil(
      () => {
        const still = sent === last;
        last = sent;
        return still && !writable;
      },
      { interval: 500, timeout: PATIENCE_MS },
    );
    clearInterval(pump);
    expect(sent).toBeLessThan(50_000);
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 20 });
    expect(text).toBe('');
    request.destroy();
    await once(request, 'close');
  });

  it('a batch of any length goes through a small queue, as fast as it drains', async () => {
    const api = await start();
    await startWorker({ url: redis.url, prefix: redis.prefix }, () => undefined);
    const answer = await api.call('POST', BATCH_PATH, { body: ndjson(messages(400)) });
    expect(answer.text).toContain('{"summary":{"accepted":400,"duplicates":0,"rejected":0}}');
  });

  it('a client that leaves while its batch waits leaves nothing behind that is taken in later', async () => {
    const api = await start();
    const { request, response } = await openBatch(api);
    response.on('error', () => undefined);
    response.resume();
    request.write(ndjson(messages(60)));
    await expect.poll(async () => api.producer.queueCounts('outreach')).toMatchObject({ ready: 20 });
    request.destroy();
    await expect.poll(() => api.log.filter(({ aborted }) => aborted === true)).toHaveLength(1);
    const done: string[] = [];
    const worker = await startWorker({ url: redis.url, prefix: redis.prefix }, ({ leadId }) =>
      done.push(leadId),
    );
    await expect.poll(() => done).toHaveLength(20);
    await worker.close();
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 0, completed: 20 });
  });
});
