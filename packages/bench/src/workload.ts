import { createHash } from 'node:crypto';

import { seededRandom } from '@fairlane/testkit/random';

/** Payload of about the size of a campaign message, the same for every system measured. */
export interface BenchData {
  readonly accountId: string;
  readonly leadId: string;
  readonly step: number;
  readonly campaignRev: number;
  readonly channel: string;
  readonly to: string;
  readonly body: string;
}

export interface BenchJob {
  readonly id: string;
  readonly account: string;
  readonly data: BenchData;
  readonly delayMs?: number;
}

/** One job name for all systems: its length is stored with every job. */
export const JOB_NAME = 'outreach.send';

export interface WorkloadOptions {
  readonly jobs: number;
  readonly accounts: number;
  /** Half of the accounts have one job, half of the others two, and so on; by default all have as many. */
  readonly uneven?: boolean;
  /** Different prefixes keep ids and accounts of two workloads apart. */
  readonly prefix?: string;
}

/** Deterministic jobs, spread over the accounts in a shuffled order. */
export function* workload(options: WorkloadOptions): Generator<BenchJob> {
  const { jobs, accounts, uneven = false, prefix = 'acct' } = options;
  const random = seededRandom(jobs * 31 + accounts);
  let round: number[] = [];
  let left = accounts;
  for (let index = 0; index < jobs; index += 1) {
    if (round.length === 0) {
      round = shuffled(left, random);
      if (uneven) left = Math.max(Math.floor(left / 2), 1);
    }
    yield benchJob(accountName(round.pop()!, prefix), index);
  }
}

export function benchJob(account: string, index: number): BenchJob {
  const lead = `lead-${String(index).padStart(7, '0')}`;
  return {
    id: jobId(`${account}/${index}`),
    account,
    data: {
      accountId: account,
      leadId: lead,
      step: 1,
      campaignRev: 1,
      channel: 'email',
      to: `${lead}@example.com`,
      body: 'Good morning, last week we spoke about the spring catalogue. May I send you the new prices?',
    },
  };
}

export function accountName(index: number, prefix = 'acct'): string {
  return `${prefix}-${String(index).padStart(5, '0')}`;
}

/** 22 characters, as the product's ids; the first is a letter, since BullMQ refuses ids of digits only. */
export function jobId(text: string): string {
  return `j${createHash('sha256').update(text).digest('base64url').slice(0, 21)}`;
}

function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
