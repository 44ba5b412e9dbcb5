import { describe, expect, test } from 'vitest';
import { isBasePath } from './base-path.js';

describe('a base path', () => {
  test.each(['/x', '/x/y', '/tools/fairlane-2', '/~team/board.v1'])('may be %s', (path) => {
    expect(isBasePath(path)).toBe(true);
  });

  test.each([
    '',
    '/',
    'x',
    '/x/',
    '//evil.example',
    '/x//y',
    '/../x',
    '/x/..',
    '/x"onload=',
    '/x;a',
    '/a b',
    `/${'a'.repeat(300)}`,
  ])('may not be "%s": it is written into pages and cookies', (path) => {
    expect(isBasePath(path)).toBe(false);
  });
});
