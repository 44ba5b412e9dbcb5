import { expect, it } from 'vitest';
import { formatSource, parseSource } from './source.js';

const digest = 'ab'.repeat(32);
const id = 'A_-z'.repeat(5) + 'Aw';

it('reads what it writes', () => {
  expect(parseSource(formatSource({ digest, id }))).toEqual({ digest, id });
});

it.each([
  'https://example.com/report.csv',
  'file:///etc/passwd',
  '/etc/passwd',
  `blob:${digest}`,
  `blob:${digest}.../etc/passwd`,
  `blob:${digest}.${id}/..`,
  `blob:${digest}.${id}\n`,
  `BLOB:${digest}.${id}`,
  `blob:${digest.toUpperCase()}.${id}`,
])('takes nothing else for a source: %s', (source) => {
  expect(parseSource(source)).toBeUndefined();
});
