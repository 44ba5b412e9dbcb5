import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

const withCode = (code: string, syscall?: string) => Object.assign(new Error('failed'), { code, syscall });
const aws = (name: string, httpStatusCode: number) => ({
  name,
  message: name,
  $metadata: { httpStatusCode },
});
const redis = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

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
    ['08006', undefined, 'connection_lost unknown'],
    ['53300', undefined, 'connect_failed no'],
    ['57P01', undefined, 'connection_lost unknown'],
    ['55P03', undefined, 'transaction_conflict no'],
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

describe('errors of other clients', () => {
  it.each<[what: string, error: unknown, expected: string]>([
    ['AWS throttling with 400', aws('ThrottlingException', 400), 'throttled throttled no'],
    ['S3 slowing down with 503', aws('SlowDown', 503), 'throttled throttled no'],
    ['AWS validation', aws('ValidationException', 400), 'permanent rejected no'],
    ['AWS credentials', aws('AccessDenied', 403), 'permanent unauthorized no'],
    ['AWS failing', aws('InternalServerError', 500), 'retryable remote_error unknown'],
    ['a throttling name of nobody', { name: 'SlowDown' }, 'unknown unclassified unknown'],
    [
      'Redis loading',
      redis('LOADING Redis is loading the dataset in memory'),
      'retryable remote_unavailable no',
    ],
    [
      'Redis read only',
      redis("READONLY You can't write against a read only replica."),
      'retryable remote_unavailable no',
    ],
    [
      'Redis full',
      redis("OOM command not allowed when used memory > 'maxmemory'."),
      'retryable remote_unavailable no',
    ],
    ['a wrong Redis command', redis('ERR unknown command'), 'unknown unclassified unknown'],
    [
      'ioredis giving up',
      { name: 'MaxRetriesPerRequestError', message: 'x' },
      'retryable connection_lost unknown',
    ],
  ])('%s', (_what, error, expected) => {
    const found = classifyError(error);
    expect(`${found.class} ${found.code} ${found.applied}`).toBe(expected);
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
