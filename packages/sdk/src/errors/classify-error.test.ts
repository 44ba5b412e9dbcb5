import * as http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { classifyError } from './classify-error.js';
import { httpError } from './http-error.js';
import {
  closedPort,
  connectToTwoAddresses,
  startFlakyServer,
  type FlakyServer,
} from '../testing-support/flaky-server.js';

let server: FlakyServer;
let nowhere: number;

beforeAll(async () => {
  server = await startFlakyServer();
  nowhere = await closedPort();
});
afterAll(() => server.close());

/** What an action throws. */
async function thrownBy(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const call = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);
const readAll = async (path: string) => (await call(path)).text();

function getWithNode(port: number): Promise<void> {
  return new Promise((_resolve, reject) => {
    http.get({ host: '127.0.0.1', port }).once('error', reject);
  });
}

function abortedCall(): Promise<unknown> {
  const controller = new AbortController();
  const response = call('/stall', { signal: controller.signal });
  controller.abort();
  return response;
}

/** Node keeps its fetch's own dispatcher under this symbol; its class is the only way to undici's time-outs. */
function impatientCall(): Promise<unknown> {
  const key = Symbol.for('undici.globalDispatcher.1');
  const Agent = (globalThis as unknown as Record<symbol, object>)[key]?.constructor as new (
    options: object,
  ) => object;
  return call('/stall', { dispatcher: new Agent({ headersTimeout: 1 }) } as RequestInit);
}

const answer = async (query: string) => httpError(await call(`/status?${query}`));

type Row = [what: string, action: () => unknown, expected: string];

describe('errors of calls that really failed', () => {
  // class code applied
  it.each<Row>([
    ['fetch, nobody listens', () => fetch(`http://127.0.0.1:${nowhere}`), 'retryable connect_failed no'],
    ['node:http, nobody listens', () => getWithNode(nowhere), 'retryable connect_failed no'],
    ['two addresses, nobody listens', () => connectToTwoAddresses(nowhere), 'retryable connect_failed no'],
    ['a name that does not exist', () => fetch('http://name.invalid'), 'retryable connect_failed no'],
    ['closed without an answer', () => call('/hang-up'), 'retryable connection_lost unknown'],
    ['reset without an answer', () => call('/reset'), 'retryable connection_lost unknown'],
    ['cut inside the answer', () => readAll('/cut-body'), 'retryable connection_lost unknown'],
    ['an answer that is not HTTP', () => call('/rubbish'), 'retryable connection_lost unknown'],
    [
      'TLS to a plain port',
      () => fetch(server.url.replace('http:', 'https:')),
      'retryable connection_lost unknown',
    ],
    [
      'AbortSignal.timeout',
      () => call('/stall', { signal: AbortSignal.timeout(10) }),
      'retryable timeout unknown',
    ],
    ["undici's own time-out", impatientCall, 'retryable timeout unknown'],
    ['AbortController', abortedCall, 'retryable aborted unknown'],
    ['a URL that is none', () => fetch('http://'), 'unknown unclassified unknown'],
    [
      'a value its schema refuses',
      () => z.object({ id: z.string() }).parse({}),
      'permanent invalid_payload unknown',
    ],
    ['a bug', () => (undefined as unknown as { x: number }).x, 'unknown unclassified unknown'],
  ])('%s', async (_what, action, expected) => {
    const found = classifyError(await thrownBy(action));
    expect(`${found.class} ${found.code} ${found.applied}`).toBe(expected);
  });
});

describe('HTTP answers', () => {
  it.each([
    [400, 'permanent rejected no'],
    [401, 'permanent unauthorized no'],
    [402, 'permanent rejected no'],
    [403, 'permanent unauthorized no'],
    [404, 'permanent target_gone no'],
    [408, 'retryable timeout unknown'],
    [409, 'permanent rejected no'],
    [410, 'permanent target_gone no'],
    [422, 'permanent rejected no'],
    [429, 'throttled throttled no'],
    [500, 'retryable remote_error unknown'],
    [501, 'retryable remote_error unknown'],
    [502, 'retryable remote_error unknown'],
    [503, 'retryable remote_unavailable unknown'],
    [504, 'retryable timeout unknown'],
    [599, 'retryable remote_error unknown'],
    [204, 'unknown unclassified unknown'],
    [304, 'unknown unclassified unknown'],
  ])('%i', async (status, expected) => {
    const found = classifyError(await answer(`code=${status}`));
    expect(`${found.class} ${found.code} ${found.applied}`).toBe(expected);
    expect(found).toMatchObject({ status, reason: `the outside answered ${status}` });
    expect(found).not.toHaveProperty('retryAfterMs');
  });

  it('carry Retry-After as milliseconds, of two headers the longer', async () => {
    expect(classifyError(await answer('code=429&retry-after=2')).retryAfterMs).toBe(2_000);
    expect(classifyError(await answer('code=503&retry-after=1&retry-after=7')).retryAfterMs).toBe(7_000);
    expect(classifyError(await answer('code=429&retry-after=soon'))).not.toHaveProperty('retryAfterMs');
  });

  it('A08 compare a Retry-After date with the given time', async () => {
    const response = await call(
      `/status?code=429&retry-after=${encodeURIComponent('Sun, 06 Nov 1994 08:49:40 GMT')}`,
    );
    const error = httpError(response, { nowMs: Date.UTC(1994, 10, 6, 8, 49, 37) });
    expect(error.retryAfterMs).toBe(3_000);
    expect(error.status).toBe(429);
  });

  it('say who answered and what, and take its word that nothing was applied', async () => {
    const response = await call('/status?code=503');
    const error = httpError(response, {
      from: 'the mail gateway',
      detail: 'in maintenance',
      notApplied: [503],
    });
    expect(classifyError(error)).toEqual({
      class: 'retryable',
      code: 'remote_unavailable',
      status: 503,
      reason: 'the mail gateway answered 503: in maintenance',
      applied: 'no',
    });
  });

  it('are made of responses whose body was read or not', async () => {
    const unread = await call('/status?code=500');
    httpError(unread);
    expect(unread.bodyUsed).toBe(true);
    const read = await call('/status?code=500');
    expect(httpError(read, { detail: await read.text() }).status).toBe(500);
  });

  it('are understood when a response itself was thrown', async () => {
    expect(classifyError(await call('/status?code=429&retry-after=3'))).toMatchObject({
      class: 'throttled',
      retryAfterMs: 3_000,
    });
  });

  it.each([
    ['status', { status: 404 }],
    ['statusCode', { statusCode: 404 }],
    ['response.status', { response: { status: 404 } }],
    ['response.statusCode', { response: { statusCode: 404 } }],
  ])('of other clients are read from %s', (_where, members) => {
    const found = classifyError(Object.assign(new Error('request failed'), members));
    expect(found).toMatchObject({ class: 'permanent', code: 'target_gone', status: 404 });
  });

  it.each([
    ['a plain object', { 'retry-after': '5' }],
    ['a number in it', { 'retry-after': 5 }],
    ['capitals', { 'Retry-After': '5' }],
    ['a Headers object', new Headers({ 'retry-after': '5' })],
  ])('of other clients carry their Retry-After in %s', (_where, headers) => {
    const found = classifyError(
      Object.assign(new Error('request failed'), { response: { status: 429, headers } }),
    );
    expect(found.retryAfterMs).toBe(5_000);
  });
});
