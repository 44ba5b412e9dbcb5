import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../contract/define-job.js';
import { PayloadError, VersionAheadError } from '../errors/errors.js';
import { MAX_ISSUES, parsePayload, readStoredPayload } from './payload.js';

const base = { name: 'invoice.print', account: () => 'acme', key: () => ['1'] };
const contract = defineJob({
  ...base,
  payload: z.object({
    id: z.string(),
    copies: z.int().default(1),
    contacts: z.array(z.object({ phone: z.string() })).optional(),
    anything: z.unknown().optional(),
  }),
});

describe('parsing a payload', () => {
  it('fills in defaults and drops members the contract does not know', () => {
    expect(parsePayload(contract, { id: '7', extra: 1 })).toEqual({
      ok: true,
      payload: { id: '7', copies: 1 },
    });
  });

  it.each<[unknown, string]>([
    [{ id: 7 }, 'id'],
    [{ id: '7', contacts: [{ phone: '1' }, {}] }, 'contacts[1].phone'],
    [null, ''],
    ['text', ''],
    [[], ''],
  ])('names the path inside %j', (value, path) => {
    const parsed = parsePayload(contract, value);
    expect(parsed).toMatchObject({ ok: false, issues: [{ path, message: expect.any(String) as string }] });
  });

  it('says of a value that fits none of several schemas what each of them found', () => {
    const number = z.union([z.int(), z.string(), z.literal(7)]);
    const own = z.union([z.int(), z.string()], { error: 'a number as the invoice has it' });
    const printed = defineJob({ ...base, payload: z.object({ number, own }) });
    expect(parsePayload(printed, { number: null, own: null })).toEqual({
      ok: false,
      issues: [
        {
          path: 'number',
          message:
            'Invalid input: expected number, received null, or Invalid input: expected string, received null, or Invalid input: expected 7',
        },
        { path: 'own', message: 'a number as the invoice has it' },
      ],
    });
  });

  it('R14 reports a bounded number of issues', () => {
    const parsed = parsePayload(contract, { id: '7', contacts: Array.from({ length: 1_000 }, () => ({})) });
    expect(!parsed.ok && parsed.issues.length).toBe(MAX_ISSUES);
  });

  it('never repeats a value of the payload in an issue', () => {
    const parsed = parsePayload(contract, {
      id: { secret: 'hunter2' },
      copies: 'hunter2',
      contacts: 'hunter2',
    });
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });

  it('A23 refuses a payload that exhausts the stack of the check', () => {
    const recursive = defineJob({ ...base, payload: z.object({ value: z.json() }) });
    const value: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(parsePayload(recursive, { value })).toEqual({
      ok: false,
      issues: [{ path: '', message: 'the payload could not be checked' }],
    });
  });

  it('refuses a payload whose refinement throws', () => {
    const throwing = defineJob({
      ...base,
      payload: z.string().refine(() => {
        throw new Error('bug');
      }),
    });
    expect(parsePayload(throwing, 'x').ok).toBe(false);
  });

  it.each([
    ['a plain object', z.object({ a: z.object({ b: z.string().optional() }).optional() })],
    ['a loose object', z.looseObject({})],
    ['a record', z.record(z.string(), z.unknown())],
  ])('A25 pollutes no prototype by %s', (_what, schema) => {
    const job = defineJob({ ...base, payload: schema });
    const raw =
      '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}';
    parsePayload(job, JSON.parse(raw));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((Object as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('A22 reading a stored payload', () => {
  const v3 = defineJob({
    ...base,
    version: 3,
    payload: z.object({ id: z.string(), copies: z.int() }),
    upgrades: {
      1: (old) => ({ id: String((old as { number: number }).number) }),
      2: (old) => ({ ...(old as object), copies: 1 }),
    },
  });

  it('upgrades an old version step by step', () => {
    expect(readStoredPayload(v3, 1, { number: 7 })).toEqual({ id: '7', copies: 1 });
    expect(readStoredPayload(v3, 2, { id: '7' })).toEqual({ id: '7', copies: 1 });
    expect(readStoredPayload(v3, 3, { id: '7', copies: 2 })).toEqual({ id: '7', copies: 2 });
  });

  it('leaves a newer version to a newer process', () => {
    expect(() => readStoredPayload(v3, 4, {})).toThrow(VersionAheadError);
    expect(() => readStoredPayload(v3, 4, {})).toThrow('has version 4, this process knows up to 3');
  });

  it('refuses what cannot be upgraded or does not fit afterwards', () => {
    const dropped = defineJob({ ...base, version: 3, payload: z.unknown(), upgrades: { 2: (old) => old } });
    expect(() => readStoredPayload(dropped, 1, {})).toThrow('no upgrade from version 1');
    expect(() => readStoredPayload(v3, 1, null)).toThrow('the upgrade from version 1 failed');
    expect(() => readStoredPayload(v3, 3, { id: 7, copies: 1 })).toThrow(PayloadError);
    for (const version of [0, -1, 1.5, Number.NaN, '1']) {
      expect(() => readStoredPayload(v3, version as number, { id: '7', copies: 1 })).toThrow('is no version');
    }
  });
});
