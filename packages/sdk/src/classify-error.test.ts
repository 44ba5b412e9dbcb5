import * as http from 'node:http';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CLASSIFICATION, ERROR_CLASSES, ERROR_CODES, type Classification } from './classification.js';
import { classifyError } from './classify-error.js';
import {
  PayloadError,
  PermanentError,
  RetryableError,
  ThrottledError,
  UnknownOutcomeError,
  VersionAheadError,
} from './errors.js';
import { httpError } from './http-error.js';
import {
  closedPort,
  connectToTwoAddresses,
  startFlakyServer,
  type FlakyServer,
} from './testing-support/flaky-server.js';

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

const withCode = (code: string, syscall?: string) => Object.assign(new Error('failed'), { code, syscall });

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

describe('error codes', () => {
  it.each([
    ['ECONNREFUSED', 'connect', 'connect_failed no'],
    ['EAI_AGAIN', 'getaddrinfo', 'connect_failed no'],
    ['ENOTFOUND', 'getaddrinfo', 'connect_failed no'],
    ['CERT_HAS_EXPIRED', undefined, 'connect_failed no'],
    ['UND_ERR_CONNECT_TIMEOUT', undefined, 'timeout no'],
    ['ETIMEDOUT', 'connect', 'timeout no'],
    ['ETIMEDOUT', 'read', 'timeout unknown'],
    ['EHOSTUNREACH', 'connect', 'connect_failed no'],
    ['EHOSTUNREACH', 'write', 'connection_lost unknown'],
    ['ECONNRESET', 'read', 'connection_lost unknown'],
    ['ECONNRESET', 'connect', 'connect_failed no'],
    ['EPIPE', 'write', 'connection_lost unknown'],
    ['UND_ERR_SOCKET', undefined, 'connection_lost unknown'],
    ['UND_ERR_HEADERS_TIMEOUT', undefined, 'timeout unknown'],
    ['UND_ERR_BODY_TIMEOUT', undefined, 'timeout unknown'],
    ['40001', undefined, 'transaction_conflict no'],
    ['40P01', undefined, 'transaction_conflict no'],
  ])('%s of %s', (code, syscall, expected) => {
    const found = classifyError(withCode(code, syscall));
    expect(`${found.class} ${found.code} ${found.applied}`).toBe(`retryable ${expected}`);
    expect(found.reason).toContain(code);
  });

  it.each(['ENOENT', 'ERR_INVALID_URL', '23505', '__proto__', ''])('%s says nothing', (code) => {
    expect(classifyError(withCode(code)).class).toBe('unknown');
  });
});

describe('own errors', () => {
  const cause = new Error('why');

  it.each<[Error, Partial<Classification>]>([
    [new PermanentError(), { class: 'permanent', code: 'rejected', applied: 'no' }],
    [
      new PermanentError({ code: 'target_gone', status: 404, reason: 'The lead is gone.' }),
      { class: 'permanent', code: 'target_gone', status: 404, reason: 'The lead is gone.' },
    ],
    [new RetryableError(), { class: 'retryable', code: 'retry_requested', applied: 'unknown' }],
    [new RetryableError({ applied: 'no', retryAfterMs: 5 }), { applied: 'no', retryAfterMs: 5 }],
    [new ThrottledError(), { class: 'throttled', code: 'throttled', applied: 'no' }],
    [new ThrottledError({ retryAfterMs: 1_500 }), { class: 'throttled', retryAfterMs: 1_500 }],
    [new UnknownOutcomeError(), { class: 'permanent', code: 'unknown_outcome', applied: 'unknown' }],
    [
      new PayloadError('a.b', [{ path: 'to', message: 'missing' }]),
      { class: 'permanent', code: 'invalid_payload' },
    ],
    [new VersionAheadError('a.b', 2, 1), { class: 'unknown', code: 'unclassified' }],
  ])('%s', (error, expected) => {
    expect(classifyError(error)).toMatchObject(expected);
  });

  it.each([Number.NaN, -1, 0, Infinity, undefined])('A08 drop a wait of %s ms', (retryAfterMs) => {
    expect(
      classifyError(new ThrottledError(retryAfterMs === undefined ? {} : { retryAfterMs })),
    ).not.toHaveProperty('retryAfterMs');
  });

  it('keep their cause, name and code', () => {
    const error = new RetryableError({ cause });
    expect(error).toMatchObject({ cause, name: 'RetryableError', code: 'retry_requested' });
  });

  it('are understood when another installed copy of this package made them', () => {
    const foreign = Object.assign(new Error('x'), {
      [CLASSIFICATION]: {
        class: 'throttled',
        code: 'throttled',
        reason: 'slow',
        applied: 'no',
        retryAfterMs: 9,
      },
    });
    expect(classifyError(foreign)).toEqual({
      class: 'throttled',
      code: 'throttled',
      reason: 'slow',
      applied: 'no',
      retryAfterMs: 9,
    });
  });

  it.each([
    ['no object', 7],
    ['an unheard-of class', { class: 'fatal', code: 'rejected', reason: 'x' }],
    ['an unheard-of code', { class: 'permanent', code: 'x', reason: 'x' }],
    ['no reason', { class: 'permanent', code: 'rejected' }],
  ])('are not believed with %s under the symbol', (_what, claimed) => {
    expect(classifyError({ [CLASSIFICATION]: claimed }).class).toBe('unknown');
  });
});

describe('chains of causes', () => {
  const wrap = (cause: unknown, times: number): unknown =>
    times === 0 ? cause : new Error(`wrapper ${times}`, { cause: wrap(cause, times - 1) });

  it('are followed to the first error that says something', () => {
    expect(classifyError(wrap(new PermanentError({ code: 'unauthorized' }), 3)).code).toBe('unauthorized');
    const outer = new RetryableError({ cause: new PermanentError() });
    expect(classifyError(wrap(outer, 1)).class).toBe('retryable');
  });

  it('R14 are followed for a bounded number of links', () => {
    expect(classifyError(wrap(new PermanentError(), 7)).class).toBe('permanent');
    expect(classifyError(wrap(new PermanentError(), 8)).class).toBe('unknown');
  });

  it('may run in a circle', () => {
    const circle = new Error('circle') as Error & { cause: unknown };
    circle.cause = circle;
    expect(classifyError(circle)).toMatchObject({ class: 'unknown', reason: 'circle' });
  });

  it('decide for an AggregateError by the least certain of its errors', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
    expect(classifyError(new AggregateError([refused, reset])).applied).toBe('unknown');
    expect(classifyError(new AggregateError([refused, refused])).applied).toBe('no');
    expect(classifyError(new AggregateError([refused, new Error('?')])).applied).toBe('unknown');
    const self = new AggregateError([]);
    self.errors.push(self);
    expect(classifyError(self).class).toBe('unknown');
  });
});

describe('whatever was thrown', () => {
  const proxied = Proxy.revocable({}, {});
  proxied.revoke();
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );

  it.each<[what: string, thrown: unknown, reason: string]>([
    ['undefined', undefined, 'undefined was thrown'],
    ['null', null, 'null was thrown'],
    ['a text', 'no luck', 'string was thrown: no luck'],
    ['a number', 7, 'number was thrown: 7'],
    ['a bigint', 7n, 'bigint was thrown: 7'],
    ['a symbol', Symbol('x'), 'symbol was thrown'],
    ['a function', () => 1, 'function was thrown'],
    ['an object without a prototype', Object.create(null), 'object was thrown'],
    ['an error of its own kind', new TypeError('bad'), 'TypeError: bad'],
    ['a revoked proxy', proxied.proxy, 'object was thrown'],
    ['a proxy that throws', hostile, 'object was thrown'],
    ['a revoked proxy in errors', { errors: proxied.proxy }, 'an object that cannot be read was thrown'],
    [
      'a getter that throws',
      Object.defineProperty(new Error('seen'), 'cause', { get: () => hostile }),
      'seen',
    ],
    ['headers that throw', { status: 429, headers: hostile }, 'the outside answered 429'],
  ])('%s is classified', (_what, thrown, reason) => {
    expect(classifyError(thrown)).toMatchObject({ reason });
  });

  it('gives a well-formed classification and never throws', () => {
    const member = fc.oneof(
      fc.anything(),
      fc.constantFrom('ZodError', 'TimeoutError', 429, 503, 'ECONNRESET', hostile),
    );
    const object = fc.record(
      {
        name: member,
        message: member,
        code: member,
        status: member,
        response: member,
        headers: member,
        cause: member,
        errors: member,
        issues: member,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), object), (thrown) => {
        const found = classifyError(thrown);
        expect(ERROR_CLASSES).toContain(found.class);
        expect(ERROR_CODES).toContain(found.code);
        expect(['no', 'unknown']).toContain(found.applied);
        expect(found.reason.length).toBeLessThanOrEqual(300);
        expect(found.retryAfterMs ?? 1).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('R14 cuts a long message without splitting a character', () => {
    const { reason } = classifyError(new Error(`${'x'.repeat(298)}🦆🦆`));
    expect(reason).toBe(`${'x'.repeat(298)}…`);
  });
});
