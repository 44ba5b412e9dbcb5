import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KeyPart } from '../contract/contract.js';
import { defineJob } from '../contract/define-job.js';
import { PayloadError } from '../errors/errors.js';
import { identify, jobIdOf, MAX_ACCOUNT_BYTES, MAX_KEY_BYTES, MAX_KEY_PARTS } from './identity.js';

const part = z.union([z.string(), z.number(), z.boolean()]);
const probe = defineJob({
  name: 'probe.run',
  payload: z.object({ account: z.string(), key: z.array(part), note: z.unknown().optional() }),
  account: (p) => p.account,
  key: (p) => p.key,
});

const keyOf = (account: string, ...key: KeyPart[]) => identify(probe, { account, key }).key;

describe('business key', () => {
  it.each([
    ['a colon', 'a:b'],
    ['two colons', 'a:b:c'],
    ['a URL', 'https://example.com/a?b=c#d'],
    ['digits only', '42'],
    ['an emoji', '🦆'],
    ['NUL', 'a\0b'],
    ['10 KB', 'x'.repeat(10_240)],
    ['__proto__', '__proto__'],
  ])('A07 takes %s and makes an id of 22 characters that BullMQ accepts', (_what, text) => {
    const { id, key } = identify(probe, { account: 'acme', key: [text] });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(id).toMatch(/^(?=.*[A-Za-z])[\w-]{22}$/);
  });

  it('A07 keeps the parts of a tuple apart', () => {
    const keys = [
      keyOf('acme', 'a:b', 'c'),
      keyOf('acme', 'a', 'b:c'),
      keyOf('acme', 'a:b:c'),
      keyOf('acme', 'a', 'b', 'c'),
      keyOf('acme', 'a\0b', 'c'),
      keyOf('acme', 'a', 'b\0c'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('A07 keeps the same key of two accounts and of two jobs apart', () => {
    const other = defineJob({ ...probe, name: 'probe.walk' });
    const payload = { account: 'acme', key: ['1'] };
    const keys = [keyOf('acme', '1'), keyOf('acme2', '1'), identify(other, payload).key];
    expect(new Set(keys).size).toBe(3);
  });

  it('A07 keeps types apart', () => {
    const keys = [keyOf('acme', 1), keyOf('acme', '1'), keyOf('acme', true), keyOf('acme', 'true')];
    expect(new Set(keys).size).toBe(4);
  });

  it('A07 gives two tuples one key only when they are equal', () => {
    // A small alphabet that holds the encoding's own characters, so that collisions would be found.
    const text = fc.string({
      unit: fc.constantFrom('1', '2', ':', ' ', 's', 'é'),
      minLength: 1,
      maxLength: 4,
    });
    const tuple = fc.array(fc.oneof(text, fc.integer({ min: 0, max: 22 }), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, tuple, text, tuple, (accountA, a, accountB, b) => {
        const equal = JSON.stringify([accountA, a]) === JSON.stringify([accountB, b]);
        expect(keyOf(accountA, ...a) === keyOf(accountB, ...b)).toBe(equal);
      }),
      { numRuns: 2_000 },
    );
  });

  // Computed with another tool from the documented encoding: changing it would let every stored job run again.
  it('R12 stays the same over releases', () => {
    const identity = identify(probe, {
      account: 'acme',
      key: ['lead-1', 2, true],
      note: { b: 1, a: [null] },
    });
    expect(identity).toEqual({
      account: 'acme',
      key: 'b24aa8e00b3a7581b681452a745ee1b4cd9fffdfb3c5157b889249c02392b78c',
      id: 'skqo4As6dYG2gUUqdF7htA',
      payloadDigest: 'LtIRicatNC2U5yJbV4qZyw',
      limitGroup: 'default',
    });
  });

  it('R12 holds a letter in every id', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(jobIdOf(Buffer.from(bytes).toString('hex'))).toMatch(/^[\w-]{21}[AQgw]$/);
      }),
    );
  });
});

function refusal(account: unknown, key: unknown): string {
  try {
    identify(probe, { account, key } as never);
  } catch (error) {
    if (error instanceof PayloadError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('refused identities', () => {
  it.each([
    ['an empty account', '', ['1'], 'account is empty'],
    ['an account that is no string', 7, ['1'], 'account is number, not a string'],
    ['a long account', 'é'.repeat(129), ['1'], `account is longer than ${MAX_ACCOUNT_BYTES} bytes`],
    ['an account with a line break', 'a\nb', ['1'], 'account holds a control character'],
    ['an account that no URL can name', '..', ['1'], 'account must not be "." or ".."'],
    ['a lone surrogate in an account', '\ud800', ['1'], 'account is not well-formed Unicode'],
    ['an empty key', 'acme', [], 'key is empty'],
    ['an empty part', 'acme', ['1', ''], 'key part 2 is empty'],
    ['a missing part', 'acme', ['1', undefined], 'key part 2 is undefined, not a string'],
    ['a null part', 'acme', [null], 'key part 1 is null, not a string'],
    ['NaN', 'acme', [Number.NaN], 'key part 1 is NaN, not a finite number'],
    ['a lone surrogate in a key', 'acme', ['\udfff'], 'key part 1 is not well-formed Unicode'],
    [
      'too many parts',
      'acme',
      Array(MAX_KEY_PARTS + 1).fill('1'),
      `key has more than ${MAX_KEY_PARTS} parts`,
    ],
    [
      'a long key',
      'acme',
      ['x'.repeat(9_000), 'y'.repeat(9_000)],
      `key is longer than ${MAX_KEY_BYTES} bytes`,
    ],
  ])('A07 refuses %s and says so', (_what, account, key, reason) => {
    expect(refusal(account, key)).toBe(`payload of probe.run refused: ${reason}`);
  });

  it.each(['__proto__', 'constructor', 'a:b', '🦆', 'x'.repeat(MAX_ACCOUNT_BYTES)])(
    'A25 takes the account %s',
    (account) => {
      expect(identify(probe, { account, key: ['1'] }).account).toBe(account);
    },
  );

  it('refuses a key that is not a function of the payload', () => {
    let calls = 0;
    const drifting = { ...probe, key: () => [(calls += 1)] };
    expect(() => identify(drifting, { account: 'acme', key: [] })).toThrow('two answers for one payload');
  });

  it('refuses a payload on which a function of the contract throws, and keeps the cause', () => {
    const cause = new Error('no such member');
    const throwing = {
      ...probe,
      account: () => {
        throw cause;
      },
    };
    expect(() => identify(throwing, { account: 'acme', key: ['1'] })).toThrow(
      expect.objectContaining({ code: 'invalid_payload', cause }) as Error,
    );
  });
});

function digestOf(note: unknown): string {
  return identify(probe, { account: 'acme', key: ['1'], note }).payloadDigest;
}

describe('payload digest', () => {
  it('does not depend on the order of members and tells values apart', () => {
    expect(digestOf({ a: 1, b: { c: 2, d: 3 } })).toBe(digestOf({ b: { d: 3, c: 2 }, a: 1 }));
    const digests = [1, '1', null, true, [1], [[1]], { a: 1 }, { a: '1' }, { a: undefined }, 'é'].map(
      digestOf,
    );
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('survives storage: equal before and after a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(digestOf(JSON.parse(JSON.stringify(value)))).toBe(digestOf(value));
      }),
    );
  });

  it.each([
    ['a bigint', 1n, 'a bigint is not a JSON value'],
    ['a function', () => 1, 'a function is not a JSON value'],
    ['50,000 levels', JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)), 'nested deeper than 64 levels'],
  ])('A23 refuses %s', (_what, note, reason) => {
    expect(() => digestOf(note)).toThrow(reason);
  });

  it('A23 refuses a cycle', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => digestOf(cycle)).toThrow('nested deeper than 64 levels');
  });

  it('A25 takes a member named __proto__ as data', () => {
    const note: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
    expect(digestOf(note)).not.toBe(digestOf({}));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
