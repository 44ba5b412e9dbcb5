import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LANE_ERROR_CODES } from './errors.js';

it('every code has its row in docs/lanes.md, and every row a code', () => {
  const page = readFileSync(new URL('../../../docs/lanes.md', import.meta.url), 'utf8');
  const refused = page.slice(
    page.indexOf('Refused, with a `LaneError`'),
    page.indexOf('## Moving a live queue'),
  );
  const rows = [...refused.matchAll(/^\| `([a-z_]+)` \|/gm)].map((row) => row[1]);
  expect(rows.toSorted()).toEqual([...LANE_ERROR_CODES].toSorted());
});
