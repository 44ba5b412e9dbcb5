import { expect, test } from 'vitest';
import { limitsFrom } from './limits-form.js';

const empty = { limit: '', perMs: 60_000, burst: '', maxInFlight: '' };

test.each([
  [{ limit: '60' }, { limit: 60, perMs: 60_000 }],
  [
    { limit: ' 0.5 ', burst: '2' },
    { limit: 0.5, perMs: 60_000, burst: 2 },
  ],
  [{ maxInFlight: '5' }, { maxInFlight: 5 }],
  [
    { limit: '60', burst: '10', maxInFlight: '5' },
    { limit: 60, perMs: 60_000, burst: 10, maxInFlight: 5 },
  ],
])('%o is sent as %o: an empty field sets nothing', (typed, sent) => {
  expect(limitsFrom({ ...empty, ...typed })).toEqual(sent);
});

test.each<[Partial<typeof empty>, string]>([
  [{}, 'Nothing is filled in.'],
  [{ burst: '5' }, 'A burst needs a rate.'],
  [{ maxInFlight: '1.5' }, 'How many run at once is a whole number.'],
  ...['0', '-1', '1e9', 'NaN', 'Infinity', '0x10', '1,5', 'many'].map(
    (limit): [{ limit: string }, string] => [{ limit }, 'Only numbers above 0 can be set.'],
  ),
])('%o is refused in words: %s', (typed, words) => {
  expect(limitsFrom({ ...empty, ...typed })).toBe(words);
});
