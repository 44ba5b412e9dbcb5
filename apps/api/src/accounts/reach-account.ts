import type { AccountView } from '@fairlane/queue';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call } from '../http/route.js';
import { isUnknown } from './present-account.js';

/** For reads: the account, or 404. A foreign account is as unknown as one that never was, and as fast. */
export async function findAccount({ app, principal }: Call, account: string): Promise<AccountView> {
  if (!mayTouch(principal, account)) throw new Problem('unknown_account');
  const view = await app.operations.account(account);
  if (isUnknown(view)) throw new Problem('unknown_account');
  return view;
}

/** For writes: the account as it is now, known or not, or 403. */
export async function accountToChange({ app, principal }: Call, account: string): Promise<AccountView> {
  if (!mayTouch(principal, account)) throw new Problem('account_forbidden');
  return app.operations.account(account);
}
