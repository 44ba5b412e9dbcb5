import type { AccountView } from '@fairlane/queue';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import type { Call, Reply } from '../http/route.js';
import { definedOnly } from '../http/defined-only.js';
import { isUnknown, presentListedAccount } from './present-account.js';
import type { accountList, accountsQuery } from './schemas.js';

type ListCall = Call<unknown, z.output<typeof accountsQuery>>;
type Listed = z.output<typeof accountList>['items'];

/** `GET /v1/accounts`: those with a backlog, the longest waiting first; with `search` those whose id begins with it. */
export async function listAccounts(call: ListCall): Promise<Reply> {
  const { app, principal, query } = call;
  if (principal.accounts !== undefined) return { status: 200, body: await listOwn(call, principal.accounts) };
  const { search, limit } = query;
  const list = search === undefined ? 'accounts' : 'accounts by name';
  const cursor = app.cursors.open(list, query.cursor);
  const page = await app.operations.accounts(definedOnly({ search, limit, cursor }));
  // Jobs without an account, of other producers, share a lane that is no account's and has no page.
  const accounts = page.items.map(({ account }) => account).filter((account) => account !== '');
  const items = await readListed(app, accounts, () => true);
  return { status: 200, body: app.cursors.seal(list, { items, cursor: page.cursor }) };
}

/** A token names few accounts: they fit one page, and nothing of others shows in it, not even their number. */
async function listOwn({ app, query }: ListCall, own: ReadonlySet<string>) {
  const accounts = [...own].filter((account) => account.startsWith(query.search ?? '')).slice(0, 500);
  const items = await readListed(app, accounts, (view) =>
    query.search === undefined ? view.lanes.length > 0 : !isUnknown(view),
  );
  return {
    items: items.toSorted((one, other) => other.oldestWaitingAgeMs - one.oldestWaitingAgeMs),
    cursor: null,
  };
}

/** Accounts looked at together: what is sent at once keeps others waiting for as long as Redis works on it. */
const READ_AT_ONCE = 50;

/** Each as its own page shows it, so that a list and a page never tell different things. */
async function readListed(
  { operations }: AppContext,
  accounts: readonly string[],
  isShown: (view: AccountView) => boolean,
): Promise<Listed> {
  const listed: Listed = [];
  for (let at = 0; at < accounts.length; at += READ_AT_ONCE) {
    const batch = accounts.slice(at, at + READ_AT_ONCE);
    const views = await Promise.all(batch.map((account) => operations.account(account)));
    const shown = views.filter(isShown);
    const around = await operations.surroundings(shown);
    for (const [index, view] of shown.entries()) {
      const surroundings = around[index];
      if (surroundings !== undefined) listed.push(presentListedAccount(view, surroundings));
    }
  }
  return listed;
}
