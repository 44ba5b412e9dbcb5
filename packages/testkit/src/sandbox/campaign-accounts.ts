import type { AccountKind, AccountPatchInput, FaultsInput, RateLimit } from './protocol.js';

export interface CampaignOptions {
  accounts: number;
  /** Expected size of the campaign: faults and limits are scaled so that a run takes about `seconds`. */
  jobs: number;
  /** `keys`: every account honours idempotency keys. `mixed`: of five, three keys, one look-up, one blind if small. */
  kinds: 'keys' | 'mixed';
  limits: boolean;
  faults: boolean;
  seconds: number;
}

/**
 * Accounts whose sizes follow a power law, largest first. `account-0001` and so on; of every forty the last
 * is revoked.
 */
export function campaignAccounts(options: CampaignOptions): AccountPatchInput[] {
  const shares = powerLawShares(options.accounts);
  return shares.map((share, index) => {
    const jobs = Math.max(1, share * options.jobs);
    return {
      account: accountName(index),
      kind: options.kinds === 'keys' ? 'keys' : kindOf(index, options.accounts),
      limit: options.limits ? limitFor(Math.max(jobs, options.jobs * SMALLEST_PLAN), options.seconds) : null,
      faults: options.faults ? faultsFor(jobs) : {},
      revoked: options.faults && index % 40 === 39,
    };
  });
}

export function accountName(index: number): string {
  return `account-${String(index + 1).padStart(4, '0')}`;
}

/**
 * Shares of a power law over `count` ranks, largest first, adding up to 1. The exponent is found so that
 * the largest has half of the whole.
 */
export function powerLawShares(count: number): number[] {
  const weights = (exponent: number) => Array.from({ length: count }, (_, index) => (index + 1) ** -exponent);
  let low = 0;
  let high = 64;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (1 / sum(weights(middle)) < 0.5) low = middle;
    else high = middle;
  }
  const found = weights(high);
  const total = sum(found);
  return found.map((weight) => weight / total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function kindOf(index: number, count: number): AccountKind {
  const place = index % 5;
  if (place === 3) return 'lookup';
  // Every unknown outcome of a blind account waits for a person: keep those accounts among the small ones.
  if (place === 4 && index >= count / 2) return 'blind';
  return 'keys';
}

/**
 * Even the smallest customer's plan lets this share of the whole campaign through in the time asked for: small
 * accounts are held back by large ones, if at all, and not by limits of their own.
 */
const SMALLEST_PLAN = 0.1;

function limitFor(jobs: number, seconds: number): RateLimit {
  const limit = Math.max(2, Math.ceil(jobs / seconds));
  return { limit, perMs: 1_000, burst: limit };
}

/**
 * A 429 closes its account for a second or two and a stall holds a slot until the caller's time-out, so the
 * number of both is bounded per account, not only their share. Small accounts meet them as well.
 */
function faultsFor(jobs: number): FaultsInput {
  return {
    rate429: Math.min(0.02, 5 / jobs),
    rate500: 0.01,
    stall: Math.min(0.002, 1 / jobs),
    cutBefore: 0.005,
    cutAfter: 0.005,
    // As the protocol has it: a 429 names a time.
    retryAfter: 1,
    gone: 0.01,
    invalid: 0.005,
  };
}
