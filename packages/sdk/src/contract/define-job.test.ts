import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { DEFAULT_RETRY_POLICY } from './contract.js';
import { defineJob } from './define-job.js';
import { DefinitionError } from '../errors/errors.js';

const payload = z.object({ accountId: z.string(), invoiceId: z.string(), tries: z.number().optional() });
const good = {
  name: 'invoice.print',
  payload,
  account: (p: z.output<typeof payload>) => p.accountId,
  key: (p: z.output<typeof payload>) => [p.invoiceId],
};
const sample = { accountId: 'acme', invoiceId: '7' };

/** Definitions as plain JavaScript may write them, past the type checker. */
function define(changes: object): () => unknown {
  return () => defineJob({ ...good, ...changes });
}

describe('a job definition', () => {
  it('fills in the documented defaults', () => {
    const contract = defineJob(good);
    expect(contract).toMatchObject({
      name: 'invoice.print',
      version: 1,
      priority: 0,
      cost: 1,
      timeoutMs: 30_000,
      onConflict: 'reject',
      retry: {
        attempts: 8,
        baseMs: 5_000,
        capMs: 900_000,
        maxRetryAfterMs: 86_400_000,
        maxDeferMs: 86_400_000,
      },
      upgrades: {},
    });
    expect(contract.limitGroup(sample)).toBe('default');
    expect(contract).not.toHaveProperty('queue');
    expect(contract).not.toHaveProperty('tag');
    expect(contract).not.toHaveProperty('sources');
  });

  it('says which stored files a payload names', () => {
    const contract = defineJob({ ...good, sources: (p) => [`blob:${p.invoiceId}`] });
    expect(contract.sources?.(sample)).toEqual(['blob:7']);
  });

  it('is frozen, its retry policy and upgrades too', () => {
    const contract = defineJob(good);
    expect([contract, contract.retry, contract.upgrades].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(DEFAULT_RETRY_POLICY)).toBe(true);
  });

  it('keeps the defaults of retry fields that are left out', () => {
    expect(defineJob({ ...good, retry: { attempts: 3 } }).retry).toEqual({
      ...DEFAULT_RETRY_POLICY,
      attempts: 3,
    });
  });

  it('takes a key that is one value as a tuple of one', () => {
    expect(defineJob({ ...good, key: (p) => p.invoiceId }).key(sample)).toEqual(['7']);
  });

  it('takes a limit group as a text or as a function', () => {
    expect(defineJob({ ...good, limitGroup: 'email' }).limitGroup(sample)).toBe('email');
    expect(defineJob({ ...good, limitGroup: (p) => `g-${p.invoiceId}` }).limitGroup(sample)).toBe('g-7');
  });
});

describe('a wrong definition is refused with the reason', () => {
  it.each([
    '',
    'invoice',
    'Invoice.print',
    'invoice.',
    '.print',
    'invoice..print',
    'a:b',
    'a b.c',
    '1a.b',
    '__proto__',
  ])('name %j', (name) => {
    expect(define({ name })).toThrow(DefinitionError);
    expect(define({ name })).toThrow(`job name ${JSON.stringify(name)} is not of the form area.action`);
  });

  it.each([
    [{ name: `a.${'b'.repeat(63)}` }, 'at most 64 characters'],
    [{ name: 7 }, 'job name 7 is not of the form'],
    [{ version: 0 }, 'job invoice.print: version must be a whole number from 1'],
    [{ version: 1.5 }, 'version must be a whole number'],
    [{ priority: -1 }, 'priority must be a whole number from 0'],
    [{ priority: 2_097_152 }, 'priority must be a whole number from 0 to 2097151'],
    [{ cost: 0 }, 'cost must be a whole number from 1'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be a whole number from 1 to 2592000000, not NaN'],
    [{ retry: { attempts: 0 } }, 'retry.attempts must be a whole number from 1'],
    [
      { retry: { attempts: undefined } },
      'retry.attempts must be a whole number from 1 to 10000, not undefined',
    ],
    [{ retry: { baseMs: 10, capMs: 9 } }, 'retry.capMs is below retry.baseMs'],
    [{ onConflict: 'last' }, 'onConflict must be "reject" or "first"'],
    [{ queue: 'Bulk Queue' }, 'queue "Bulk Queue" is not a valid name'],
    [{ payload: {} }, 'payload must be a schema of zod 4'],
    [{ account: 'acme' }, 'account must be a function of the payload'],
    [
      { version: 3, upgrades: { 1: String } },
      'upgrades[2] is missing: stored payloads of version 2 could not be read',
    ],
    [{ version: 2 }, 'upgrades[1] is missing'],
    [{ upgrades: { 1: String } }, 'upgrades[1]: there is no version 1 below version 1'],
    [{ version: 2, upgrades: { one: String } }, 'upgrades[NaN]: there is no version NaN below version 2'],
  ])('%j', (changes, reason) => {
    expect(define(changes)).toThrow(DefinitionError);
    expect(define(changes)).toThrow(reason);
  });

  it.each([
    ['a date', z.object({ at: z.date() })],
    ['a map', z.object({ at: z.map(z.string(), z.string()) })],
    ['a bigint', z.object({ at: z.bigint() })],
    ['a transform', z.object({ at: z.string().transform(Number) })],
  ])('a payload with %s, which could not be stored and read back', (_what, schema) => {
    expect(() => defineJob({ name: 'a.b', payload: schema, account: () => 'x', key: () => 'y' })).toThrow(
      'job a.b: payload must hold plain JSON values and no transforms, so that it can be stored',
    );
  });

  it('takes schemas that keep JSON values JSON', () => {
    const schema = z.object({
      to: z.email().trim().toLowerCase(),
      at: z.iso.datetime(),
      rest: z.json().optional(),
      list: z.array(z.union([z.string(), z.null()])).default([]),
    });
    expect(() =>
      defineJob({ name: 'a.b', payload: schema, account: (p) => p.to, key: (p) => [p.at] }),
    ).not.toThrow();
  });
});

describe('account, key and limit group are tried on a sample', () => {
  let count = 0;
  it.each([
    ['an empty key', { key: () => [] }, 'key is empty'],
    ['a key of nothing but empty texts', { key: () => ['', ''] }, 'key is empty'],
    ['an empty account', { account: () => '' }, 'account is empty'],
    ['a random key', { key: () => [Math.random()] }, 'key gave two answers for one payload'],
    ['a key of the clock', { key: () => [Date.now()] }, 'key gave two answers for one payload'],
    ['a growing key', { key: () => Array((count += 1)).fill('x') }, 'key gave two answers for one payload'],
    ['a counting account', { account: () => `a${(count += 1)}` }, 'account gave two answers for one payload'],
    [
      'a wandering group',
      { limitGroup: () => `g${(count += 1)}` },
      'limitGroup gave two answers for one payload',
    ],
  ])('%s is refused', (_what, changes, reason) => {
    expect(define(changes)).toThrow(`job invoice.print: ${reason}`);
  });

  it('is not held up by a clock that stands still', () => {
    vi.useFakeTimers();
    try {
      expect(define({})).not.toThrow();
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not refuse a function that throws on the sample', () => {
    expect(define({ key: () => [new URL('no URL').host] })).not.toThrow();
  });

  it('does not refuse a definition whose sample its own schema refuses', () => {
    const strict = z.object({ id: z.string().regex(/^INV-\d{4}$/) });
    const definition = {
      name: 'a.b',
      payload: strict,
      account: () => 'x',
      key: (p: { id: string }) => [p.id],
    };
    expect(() => defineJob(definition)).not.toThrow();
  });
});
