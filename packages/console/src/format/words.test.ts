import { expect, test } from 'vitest';
import { errorWords } from './words.js';

test('an error is told without its code', () => {
  expect(errorWords('target_gone: no such lead')).toBe('recipient gone: no such lead');
  // What only looks like a code is part of what happened.
  for (const text of ['getaddrinfo: no such host', 'no such lead', '']) expect(errorWords(text)).toBe(text);
});
