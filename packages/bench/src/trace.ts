import { readFile } from 'node:fs/promises';

import { seededRandom } from '@fairlane/testkit/random';

import { accountName } from './workload.js';

/** Jobs that one account submits in one minute of the day. */
export interface Arrival {
  readonly minute: number;
  readonly account: string;
  readonly jobs: number;
}

export async function readTrace(path: string): Promise<Arrival[]> {
  return parseTrace(await readFile(path, 'utf8'), path);
}

/** CSV `minute,account,jobs` with that header, in any order. */
export function parseTrace(text: string, name = 'trace'): Arrival[] {
  const [header, ...lines] = text.trim().split(/\r?\n/);
  if (header !== 'minute,account,jobs') {
    throw new Error(`${name}: expected the header "minute,account,jobs", got "${header}"`);
  }
  return lines
    .map((line, index) => {
      const match = /^(\d+),([^,]+),(\d+)$/.exec(line);
      if (match === null) throw new Error(`${name}: line ${index + 2} is not minute,account,jobs: "${line}"`);
      return { minute: Number(match[1]), account: match[2]!, jobs: Number(match[3]) };
    })
    .toSorted((a, b) => a.minute - b.minute);
}

/**
 * A day to replay where no file is given: account sizes by a power law (the largest has about a fifth), a
 * quiet night, a busy day, and bursts, since real customers send campaigns at once.
 */
export function syntheticDay({ accounts, jobs, seed }: SyntheticDay): Arrival[] {
  const random = seededRandom(seed);
  const weights = Array.from({ length: accounts }, (_, rank) => 1 / (rank + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const arrivals = new Map<string, Arrival>();
  for (const [rank, weight] of weights.entries()) {
    const account = accountName(rank);
    let left = Math.max(1, Math.round((jobs * weight) / total));
    while (left > 0) {
      const minute = busyMinute(random);
      const burst = Math.min(left, 1 + Math.floor(random() ** 4 * 200));
      const key = `${minute}/${account}`;
      arrivals.set(key, { minute, account, jobs: burst + (arrivals.get(key)?.jobs ?? 0) });
      left -= burst;
    }
  }
  return [...arrivals.values()].toSorted((a, b) => a.minute - b.minute);
}

export interface SyntheticDay {
  readonly accounts: number;
  readonly jobs: number;
  readonly seed: number;
}

const MINUTES = 1_440;

/** The busiest minute, in the early afternoon, is about ten times as likely as the quietest. */
function busyMinute(random: () => number): number {
  for (;;) {
    const minute = Math.floor(random() * MINUTES);
    const likelihood = 0.55 - 0.45 * Math.cos((2 * Math.PI * (minute - 120)) / MINUTES);
    if (random() < likelihood) return minute;
  }
}

/** The smallest accounts that together have at most this share of the jobs. */
export function smallAccounts(arrivals: readonly Arrival[], share: number): Set<string> {
  const sizes = new Map<string, number>();
  for (const { account, jobs } of arrivals) sizes.set(account, (sizes.get(account) ?? 0) + jobs);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const small = new Set<string>();
  let taken = 0;
  for (const [account, size] of [...sizes].toSorted((a, b) => a[1] - b[1])) {
    taken += size;
    if (taken > share * total) break;
    small.add(account);
  }
  return small;
}
