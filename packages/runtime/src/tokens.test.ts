import { describe, expect, it } from 'vitest';
import { bearerToken, createTokenVerifier, generateToken, hashToken } from './tokens.js';

describe('token verifier', () => {
  const producer = generateToken();
  const scoped = generateToken();
  const verify = createTokenVerifier([
    { id: 'producer', tokenHash: hashToken(producer), role: 'producer' },
    { id: 'scoped', tokenHash: hashToken(scoped), role: 'viewer', accounts: ['__proto__', 'a1'] },
  ]);

  it('knows the holder of a token', () => {
    expect(verify(producer)).toEqual({ id: 'producer', role: 'producer', accounts: undefined });
    expect(verify(scoped)?.accounts).toEqual(new Set(['__proto__', 'a1']));
  });

  it('knows nobody by a hash, a part or a longer token', () => {
    for (const wrong of [hashToken(producer), producer.slice(1), `${producer}x`, '']) {
      expect(verify(wrong)).toBeUndefined();
    }
  });

  it('makes tokens of 256 bits, never the same twice', () => {
    expect(Buffer.from(producer, 'base64url')).toHaveLength(32);
    expect(new Set(Array.from({ length: 100 }, generateToken)).size).toBe(100);
  });
});

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc==', 'abc=='],
    ['Bearer  abc', undefined],
    ['Bearer abc, Bearer def', undefined],
    ['Bearer a b', undefined],
    ['Basic abc', undefined],
    ['Bearer ', undefined],
    [`Bearer ${'a'.repeat(5000)}`, undefined],
    [undefined, undefined],
  ])('%s -> %s', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
