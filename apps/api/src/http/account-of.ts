import { Problem } from './problems.js';
import type { Call } from './route.js';

/** A token of one account means that one; of several it has to say which, since each has a list of its own. */
export function accountOf({
  principal,
  query,
}: Call<unknown, { readonly account?: string | undefined }>): string | undefined {
  if (query.account !== undefined || principal.accounts === undefined) return query.account;
  const [own, ...others] = principal.accounts;
  if (others.length === 0) return own;
  const message = 'must be given, since the token is limited to several accounts';
  throw new Problem('invalid_request', {
    detail: `account: ${message}`,
    issues: [{ path: 'account', message }],
  });
}
