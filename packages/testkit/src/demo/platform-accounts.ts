import { campaignAccounts, connectSandbox, type AccountView, type RateLimit } from '../sandbox/index.js';
import type { ApiClient } from './api-client.js';
import type { CampaignSource } from './campaign-source.js';

/** What a run should take on account of limits, at least. */
const SECONDS = 30;
/** A campaign of many jobs takes longer: limits beyond what a small machine carries would hold nobody back. */
const JOBS_PER_SECOND = 200;

/** The first `count` accounts that a platform lists. */
export async function listAccounts(url: string, count: number): Promise<AccountView[]> {
  const accounts = (await connectSandbox(url).accounts()).slice(0, count);
  if (accounts.length === 0) throw new Error(`the sandbox platform at ${url} lists no account`);
  return accounts;
}

/** Makes the accounts of a campaign known to the own platform: of all kinds, all limited, and all misbehave. */
export async function createPlatformAccounts(url: string, campaign: CampaignSource): Promise<AccountView[]> {
  const sandbox = connectSandbox(url);
  const bySize = [...campaign.accounts].toSorted(([, a], [, b]) => b.jobs - a.jobs);
  const accounts = campaignAccounts({
    accounts: bySize.length,
    jobs: campaign.jobs,
    kinds: 'mixed',
    limits: true,
    faults: true,
    seconds: Math.max(SECONDS, campaign.jobs / JOBS_PER_SECOND),
  }).map((account, index) => ({ ...account, account: bySize[index]?.[0] ?? account.account }));
  await sandbox.setAccounts(...accounts);
  return sandbox.accounts();
}

/**
 * Tells Fairlane what the platform allows each account. The platform counts over all channels while
 * Fairlane limits each by itself, so an account of several channels gets a part for each.
 * @returns whether any limit is in force
 */
export async function setListedLimits(
  api: ApiClient,
  accounts: readonly AccountView[],
  campaign: CampaignSource,
): Promise<boolean> {
  let limited = false;
  for (const { account, limit } of accounts) {
    const channels = campaign.accounts.get(account)?.channels ?? new Set<string>();
    if (limit === null || channels.size === 0) continue;
    for (const channel of channels) {
      await api.setLimit(account, channel, part(limit, channels.size));
      limited = true;
    }
  }
  return limited;
}

function part({ limit, perMs, burst }: RateLimit, count: number): RateLimit {
  return { limit, perMs: perMs * count, burst: Math.max(1, Math.floor(burst / count)) };
}
