import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bytesKept, PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, vi } from 'vitest';
import { MAX_LINE_BYTES } from '../limits.js';
import { BATCH_PATH, ndjson, openBatch, sendManyLines } from '../testing-support/batch-client.js';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const path = BATCH_PATH;

interface BatchLine {
  readonly line: number;
  readonly status: string;
  readonly id?: string;
  readonly code?: string;
  readonly detail?: string;
}

function readAnswer(text: string) {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BatchLine & { summary?: Record<string, number> });
  return { lines: lines.slice(0, -1) as BatchLine[], summary: lines.at(-1)?.summary };
}

async function post(api: ApiUnderTest, body: string | Uint8Array, token?: string) {
  const answer = await api.call('POST', path, { body, ...(token === undefined ? {} : { token }) });
  return { ...answer, ...readAnswer(answer.text) };
}

describe('POST /v1/jobs/{name}/batch', () => {
  it('answers a line a job, in order, and a summary', async () => {
    const api = await start();
    const payloads = Array.from({ length: 1000 }, () => message());
    const first = await post(api, ndjson(payloads));
    expect(first.headers.get('content-type')).toContain('application/x-ndjson');
    expect(first.lines.map(({ line }) => line)).toEqual(payloads.map((_, index) => index + 1));
    expect(first.lines.every(({ status }) => status === 'accepted')).toBe(true);
    expect(first.summary).toEqual({ accepted: 1000, duplicates: 0, rejected: 0 });

    const again = await post(api, ndjson(payloads));
    expect(again.summary).toEqual({ accepted: 0, duplicates: 1000, rejected: 0 });
    expect(again.lines.map(({ id }) => id)).toEqual(first.lines.map(({ id }) => id));
  });

  it('a malformed line costs that line only; the answer names the line and the path inside it', async () => {
    const api = await start();
    const held = message();
    const body = ndjson([
      held,
      '{"leadId":',
      message({ step: 'three' }),
      '',
      { ...held, body: 'Another text' },
      'null',
      JSON.stringify(message()).replace('{', '{"__proto__":{},'),
      held,
      message(),
    ]);
    const { status, lines, summary } = await post(api, body);
    expect(status).toBe(200);
    expect(lines.map(({ line, status, code }) => [line, status, code])).toEqual([
      [1, 'accepted', undefined],
      [2, 'rejected', 'invalid_payload'],
      [3, 'rejected', 'invalid_payload'],
      [5, 'rejected', 'key_conflict'],
      [6, 'rejected', 'invalid_payload'],
      [7, 'rejected', 'invalid_payload'],
      [8, 'duplicate', undefined],
      [9, 'accepted', undefined],
    ]);
    expect(lines[2]?.detail).toContain('step: ');
    expect(lines[5]?.detail).toContain('__proto__: ');
    expect(lines[3]?.id).toBe(lines[0]?.id);
    expect(summary).toEqual({ accepted: 2, duplicates: 1, rejected: 5 });
  });

  it('takes the last line without an end, ends of both kinds, and an empty body', async () => {
    const api = await start();
    const [a, b] = [JSON.stringify(message()), JSON.stringify(message())];
    expect((await post(api, `${a}\r\n${b}`)).summary).toEqual({ accepted: 2, duplicates: 0, rejected: 0 });
    expect((await post(api, '')).summary).toEqual({ accepted: 0, duplicates: 0, rejected: 0 });
    expect((await post(api, '\n\n')).summary).toEqual({ accepted: 0, duplicates: 0, rejected: 0 });
  });

  it('refuses one line of 10 MB without keeping more of it than its bound', async () => {
    const api = await start();
    await post(api, ndjson(Array.from({ length: 1000 }, () => message())));
    const { request, response } = await openBatch(api);
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    const before = await bytesKept();
    let most = 0;
    const piece = Buffer.alloc(64 * 1024, 'x');
    request.write(ndjson([message()]) + '{"body":"');
    for (let sent = 0; sent < 10 * 1024 * 1024; sent += piece.length) {
      if (!request.write(piece)) await once(request, 'drain');
      if (sent % (1024 * 1024) === 0) most = Math.max(most, (await bytesKept()) - before);
    }
    expect(most).toBeLessThan(2 * 1024 * 1024);
    request.end(`"}\n${ndjson([message()])}`);
    const answers: BatchLine[] = [];
    for await (const text of { [Symbol.asyncIterator]: () => lines })
      answers.push(JSON.parse(text) as BatchLine);
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      ['accepted', undefined],
      ['rejected', 'payload_too_large'],
      ['accepted', undefined],
      [undefined, undefined],
    ]);
    expect(answers[1]?.detail).toContain(String(MAX_LINE_BYTES));
  });

  it('answers each line while the upload still runs', async () => {
    const api = await start();
    const { request, response } = await openBatch(api);
    const answers = createInterface({ input: response })[Symbol.asyncIterator]();
    for (let line = 1; line <= 3; line += 1) {
      request.write(ndjson([message()]));
      const { value } = await answers.next();
      expect(JSON.parse(String(value))).toMatchObject({ line, status: 'accepted' });
    }
    request.end();
    expect(JSON.parse(String((await answers.next()).value))).toMatchObject({ summary: { accepted: 3 } });
  });

  it('stops reading when the client stops reading, and goes on when it does', async () => {
    const api = await start();
    const { request, response } = await openBatch(api);
    response.pause();
    // Refused without Redis, with an answer about as long as the line: both directions fill up soon.
    const line = `{}${' '.repeat(700)}`;
    const chunk = Buffer.from(`${line}\n`.repeat(100));
    let sentLines = 0;
    let writable = true;
    request.on('drain', () => (writable = true));
    const send = () => {
      while (writable && sentLines < 200_000) {
        writable = request.write(chunk);
        sentLines += 100;
      }
    };
    const pump = setInterval(send, 1);
    // Nothing moves any more once all buffers on the way are full.
    let last = -1;
    await vi.waitUntil(
      () => {
        const still = sentLines === last;
        last = sentLines;
        return still && !writable;
      },
      { interval: 500, timeout: PATIENCE_MS },
    );
    expect(sentLines).toBeLessThan(100_000);
    clearInterval(pump);
    request.end();
    response.setEncoding('utf8');
    let text = '';
    for await (const part of response) text += part as string;
    expect(readAnswer(text).summary).toEqual({ accepted: 0, duplicates: 0, rejected: sentLines });
  });

  it('keeps memory flat over 50,000 lines', async () => {
    const api = await start();
    const { answers, summary, growthBytes } = await sendManyLines(api, 50_000, () => message(), bytesKept);
    expect([answers, summary]).toEqual([50_001, { accepted: 50_000, duplicates: 0, rejected: 0 }]);
    // Of 30,000 lines. Keeping their answers would cost twice this, keeping the lines more.
    expect(growthBytes).toBeLessThan(1024 * 1024);
  }, 120_000);

  it('a client that goes away in the middle costs nothing but its own batch', async () => {
    const api = await start();
    const { request, response } = await openBatch(api);
    response.on('error', () => undefined);
    response.resume();
    request.write(ndjson(Array.from({ length: 500 }, () => message())));
    await expect.poll(async () => (await api.producer.queueCounts('outreach')).ready).toBe(500);
    request.destroy();
    expect((await post(api, ndjson([message()]))).summary).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: 0,
    });
    const batchLines = () =>
      api.log.filter(({ request: logged }) => (logged as { path?: string } | undefined)?.path === path);
    await expect.poll(() => batchLines().map(({ aborted }) => aborted)).toEqual([true, undefined]);
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('answers before the body is read: unknown job, foreign role, compression', async () => {
    const api = await start();
    const unknown = await api.call('POST', '/v1/jobs/no.such/batch', { body: ndjson([message()]) });
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'unknown_job']);
    const viewer = await api.call('POST', path, { body: ndjson([message()]), token: api.tokens.viewer });
    expect([viewer.status, viewer.json['code']]).toEqual([403, 'forbidden']);
    const gzip = await api.call('POST', path, { body: 'x', headers: { 'content-encoding': 'gzip' } });
    expect([gzip.status, gzip.json['code']]).toEqual([415, 'unsupported_encoding']);
  });

  it('lets a token limited to accounts enqueue its own lines only', async () => {
    const api = await start();
    const body = ndjson([
      message({ accountId: 'own' }),
      message({ accountId: 'other' }),
      message({ accountId: 'own' }),
    ]);
    const { lines, summary } = await post(api, body, api.tokens['own-producer']);
    expect(lines.map(({ code }) => code)).toEqual([undefined, 'account_forbidden', undefined]);
    expect(summary).toEqual({ accepted: 2, duplicates: 0, rejected: 1 });
    expect(await api.producer.queueCounts('outreach')).toMatchObject({ ready: 2 });
  });
});
