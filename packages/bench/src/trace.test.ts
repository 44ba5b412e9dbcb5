import { describe, expect, it } from 'vitest';

import { parseTrace, smallAccounts, syntheticDay } from './trace.js';

describe('parseTrace', () => {
  it('reads arrivals in the order of their minutes', () => {
    expect(parseTrace('minute,account,jobs\n5,b,2\n0,a,7\n')).toEqual([
      { minute: 0, account: 'a', jobs: 7 },
      { minute: 5, account: 'b', jobs: 2 },
    ]);
  });

  it('names the line that it cannot read', () => {
    expect(() => parseTrace('minute,account,jobs\n0,a,1\n1,a\n', 'day.csv')).toThrow('day.csv: line 3');
  });

  it('refuses another header', () => {
    expect(() => parseTrace('a,b\n1,2')).toThrow('expected the header');
  });
});

describe('syntheticDay', () => {
  const day = syntheticDay({ accounts: 200, jobs: 20_000, seed: 1 });

  it('is the same for the same seed and another for another', () => {
    expect(syntheticDay({ accounts: 200, jobs: 20_000, seed: 1 })).toEqual(day);
    expect(syntheticDay({ accounts: 200, jobs: 20_000, seed: 2 })).not.toEqual(day);
  });

  it('gives the largest account about a fifth of the jobs', () => {
    const largest = day.filter((arrival) => arrival.account === 'acct-00000');
    const jobs = largest.reduce((sum, arrival) => sum + arrival.jobs, 0);
    expect(jobs / 20_000).toBeGreaterThan(0.15);
    expect(jobs / 20_000).toBeLessThan(0.25);
  });

  it('stays within the day', () => {
    expect(day.at(0)?.minute).toBeGreaterThanOrEqual(0);
    expect(day.at(-1)?.minute).toBeLessThan(1_440);
  });
});

it('takes the smallest accounts up to the share', () => {
  const arrivals = [
    { minute: 0, account: 'large', jobs: 90 },
    { minute: 0, account: 'middle', jobs: 6 },
    { minute: 0, account: 'small', jobs: 2 },
    { minute: 1, account: 'smaller', jobs: 1 },
    { minute: 2, account: 'small', jobs: 1 },
  ];
  expect(smallAccounts(arrivals, 0.05)).toEqual(new Set(['smaller', 'small']));
});
