import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { formatContentDigest, parseContentDigest } from './content-digest.js';

// The example of RFC 9530, appendix B.1.
const HEADER = 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:';
const DIGEST = createHash('sha256').update('{"hello": "world"}\n').digest('hex');

it('reads and writes the example of the RFC', () => {
  expect(parseContentDigest(HEADER)).toBe(DIGEST);
  expect(formatContentDigest(DIGEST)).toBe(HEADER);
});

it('has nothing to check without a header', () => {
  expect(parseContentDigest(undefined)).toBeUndefined();
});

it.each([
  ['beside another algorithm', `sha-512=:${'A'.repeat(88)}:, ${HEADER}`],
  ['with parameters', `${HEADER};x=1`],
  ['the last of two', `sha-256=:AAAA:,${HEADER}`],
])('finds the sha-256 %s', (_where, header) => {
  expect(parseContentDigest(header)).toBe(DIGEST);
});

it.each([
  ['no sha-256', 'sha-512=:AAAA:', 'has no sha-256'],
  ['an empty header', '', 'has no sha-256'],
  ['no byte sequence', 'sha-256=abc', 'is not 32 bytes'],
  ['too few bytes', 'sha-256=:AAAA:', 'is not 32 bytes'],
  ['hex instead of base64', `sha-256=:${DIGEST}:`, 'is not 32 bytes'],
  ['the form of the older Digest header', HEADER.replaceAll(':', ''), 'is malformed'],
  ['what is no structured field', 'sha-256=:%:', 'is malformed'],
  ['an endless header', `${HEADER}${' '.repeat(2_000)}`, 'is too long'],
])('refuses %s', (_what, header, problem) => {
  expect(() => parseContentDigest(header)).toThrow(problem);
  expect(() => parseContentDigest(header)).toThrow('send sha-256=:BASE64:');
});
