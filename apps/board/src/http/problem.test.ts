import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { problems } from './problem.js';

test('docs/errors.md has one row for each answer of the board, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith('Answers of the board\n')) ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm)].map(
    ([, code, status, title]) => {
      return [code, Number(status), title];
    },
  );
  expect(rows).toEqual(Object.entries(problems).map(([code, [status, title]]) => [code, status, title]));
});
