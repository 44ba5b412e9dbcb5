import type { AccountLimits, BenchQueue } from '../adapters/adapter.js';
import { inBatches } from '../adapters/adapter.js';
import { accountName } from '../workload.js';

/** Every kind of limit set, none of which closes during a run. */
export const WIDE_OPEN: AccountLimits = {
  limit: 1_000_000,
  perMs: 1_000,
  burst: 1_000_000,
  maxInFlight: 1_000,
  openWindow: true,
};

/** One job, then closed for longer than any benchmark takes. */
export const ONE_AN_HOUR: AccountLimits = { limit: 1, perMs: 3_600_000, burst: 1 };

export interface LimitedAccounts {
  readonly accounts: number;
  readonly prefix?: string;
  readonly limits: AccountLimits;
}

export async function limitAccounts(
  queue: BenchQueue,
  { accounts, prefix, limits }: LimitedAccounts,
): Promise<void> {
  if (queue.limit === undefined) throw new Error('this system has no limits for accounts');
  const limit = queue.limit.bind(queue);
  const names = Array.from({ length: accounts }, (_, index) => accountName(index, prefix));
  await inBatches(names, 100, (batch) => Promise.all(batch.map((account) => limit(account, limits))));
}
