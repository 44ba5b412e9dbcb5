import { powerLawShares } from '../sandbox/index.js';
import { seededRandom, shuffle } from '../random.js';

/** A payload of `outreach.send`, as a product would post it. */
export interface OutreachPayload {
  accountId: string;
  leadId: string;
  step: number;
  campaignRev: number;
  campaign: string;
  channel: Channel;
  to: string;
  body: string;
}

export const CHANNELS = ['email', 'sms', 'crm'] as const;
export type Channel = (typeof CHANNELS)[number];

const STEPS_PER_LEAD = 3;

/**
 * The same campaign for the same arguments. Sizes follow a power law over the accounts, the first having
 * about half; the jobs of all accounts arrive mixed, as they do when many customers work at once.
 */
export function* generateCampaign(
  accounts: readonly string[],
  jobs: number,
  seed: number,
): Generator<OutreachPayload> {
  const order = new Uint32Array(jobs);
  let next = 0;
  for (const [index, count] of campaignSizes(accounts.length, jobs).entries()) {
    order.fill(index, next, next + count);
    next += count;
  }
  shuffle(order, seededRandom(seed));

  const counts = new Uint32Array(accounts.length);
  for (const index of order) {
    const count = counts[index] ?? 0;
    counts[index] = count + 1;
    yield outreachPayload(accounts[index] ?? '', index, count, seed);
  }
}

/**
 * The `count`-th job of one account. An account keeps to one channel: its platform limit is counted over
 * all of them, while Fairlane limits each outside system by itself.
 */
export function outreachPayload(
  account: string,
  accountIndex: number,
  count: number,
  seed: number,
): OutreachPayload {
  const lead = Math.floor(count / STEPS_PER_LEAD) + 1;
  const step = (count % STEPS_PER_LEAD) + 1;
  return {
    accountId: account,
    leadId: `lead-${lead}`,
    step,
    campaignRev: 1,
    campaign: `autumn-${seed}`,
    channel: CHANNELS[accountIndex % CHANNELS.length] ?? 'email',
    to: `lead-${lead}@${account}.example`,
    body: BODIES[step - 1] ?? '',
  };
}

const BODIES = [
  'Hello, we have not met yet. May I show you in ten minutes how teams like yours save an hour a day?',
  'A short reminder of my last note. Would Thursday suit you?',
  'This is the last message in this sequence. The guide I promised is attached either way.',
];

/** By the power law, but at least one job for every account as far as there are as many. */
export function campaignSizes(accounts: number, jobs: number): number[] {
  const sizes = divide(jobs, powerLawShares(accounts));
  if (jobs < accounts) return sizes;
  // What the smallest lack comes from those in the middle: the largest is to keep its half.
  let donor = 1;
  for (const [index, size] of sizes.entries()) {
    if (size > 0) continue;
    while (donor < index && (sizes[donor] ?? 0) <= 1) donor += 1;
    const from = donor < index ? donor : 0;
    sizes[from] = (sizes[from] ?? 0) - 1;
    sizes[index] = 1;
  }
  return sizes;
}

/** Whole numbers in proportion to `shares` that add up to `total` exactly (largest remainders). */
export function divide(total: number, shares: readonly number[]): number[] {
  const exact = shares.map((share) => share * total);
  const whole = exact.map(Math.floor);
  const missing = total - whole.reduce((sum, value) => sum + value, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .toSorted((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, missing)) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}
