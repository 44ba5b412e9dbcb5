import { describe, expect, it } from 'vitest';

import { benchJob, workload } from './workload.js';

describe('workload', () => {
  it('is the same every time, so that both sides of a pair do the same work', () => {
    const options = { jobs: 500, accounts: 7 };
    expect([...workload(options)]).toEqual([...workload(options)]);
  });

  it('spreads jobs evenly over the accounts, not in a fixed order', () => {
    const accounts = [...workload({ jobs: 1_000, accounts: 10 })].map((job) => job.account);
    const counts = new Map<string, number>();
    for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array.from({ length: 10 }, () => 100));
    expect(accounts.slice(0, 10)).not.toEqual(accounts.slice(10, 20));
  });

  it('leaves half of the accounts with one job and half of the others with two where it is uneven', () => {
    const counts = new Map<string, number>();
    for (const { account } of workload({ jobs: 1_600, accounts: 800, uneven: true })) {
      counts.set(account, (counts.get(account) ?? 0) + 1);
    }
    const having = (jobs: number) => [...counts.values()].filter((count) => count === jobs).length;
    expect([having(1), having(2), having(3)]).toEqual([400, 200, 100]);
  });

  it('gives every job its own id of the length the product uses', () => {
    const ids = [...workload({ jobs: 5_000, accounts: 3 })].map((job) => job.id);
    expect(new Set(ids).size).toBe(5_000);
    expect(ids.every((id) => /^j[\w-]{21}$/.test(id))).toBe(true);
  });

  it('keeps workloads of different prefixes apart', () => {
    expect(benchJob('acct-00001', 1).id).not.toBe(benchJob('held-00001', 1).id);
  });
});
