import { createLanes, type Window } from '@fairlane/lanes';
import { presentAccount } from '../accounts/present-account.js';
import { around } from './situations.js';

export interface AccountAt {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly account: string;
  readonly windows: Window[];
  readonly nowMs: number;
}

/** What the API answers of an account with hours at another time than now: lanes on a clock, and the API's own words. */
export async function accountAt({ redisUrl, prefix, account, windows, nowMs }: AccountAt) {
  const lanes = createLanes({ connection: redisUrl, prefix, clock: () => nowMs });
  try {
    await lanes.setLimits(account, 'email', { limit: 60, perMs: 60_000 });
    await lanes.setAccount(account, { windows });
    const { counts, ...view } = await lanes.account(account);
    const { failed, delayed: _delayed, ...others } = counts;
    return presentAccount({ ...view, counts: { ...others, dead: failed } }, around({}, { nowMs }));
  } finally {
    await lanes.close();
  }
}
