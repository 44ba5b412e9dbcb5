import { expect, it } from 'vitest';
import { AccountTally } from './account-tally.js';

it('R14 names the twenty accounts with most, whatever their ids, and counts ten thousand at most', () => {
  const tally = new AccountTally();
  for (let account = 0; account < 10_000; account += 1) tally.add(`small-${account}`);
  for (let letter = 0; letter < 5; letter += 1) tally.add('met-too-late');
  for (const account of ['__proto__', '42', 'small-7']) {
    tally.add(account);
    tally.add(account);
  }
  tally.add('small-9');
  expect(tally.largest()).toHaveLength(20);
  expect(tally.largest().slice(0, 3)).toEqual([
    { account: 'small-7', matched: 3 },
    { account: 'small-9', matched: 2 },
    { account: 'small-0', matched: 1 },
  ]);
  const first = new AccountTally();
  for (const account of ['__proto__', '42', '42']) first.add(account);
  expect(first.largest()).toEqual([
    { account: '42', matched: 2 },
    { account: '__proto__', matched: 1 },
  ]);
});
