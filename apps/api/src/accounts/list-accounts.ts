import type { AccountSummary } from '@fairlane/lanes';
import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { definedOnly } from '../http/defined-only.js';
import { isUnknown } from './present-account.js';
import type { accountsQuery } from './schemas.js';

type ListCall = Call<unknown, z.output<typeof accountsQuery>>;

/** `GET /v1/accounts`: those with a backlog, the longest waiting first; with `search` those whose id begins with it. */
export async function listAccounts(call: ListCall): Promise<Reply> {
  const { app, principal, query } = call;
  if (principal.accounts !== undefined) return { status: 200, body: await listOwn(call, principal.accounts) };
  const { search, limit } = query;
  const list = search === undefined ? 'accounts' : 'accounts by name';
  const cursor = app.cursors.open(list, query.cursor);
  const page = await app.operations.accounts(definedOnly({ search, limit, cursor }));
  return { status: 200, body: app.cursors.seal(list, page) };
}

/** A token names few accounts: they fit one page, and nothing of others shows in it, not even their number. */
async function listOwn({ app, query }: ListCall, accounts: ReadonlySet<string>) {
  const wanted = [...accounts].filter((account) => account.startsWith(query.search ?? '')).slice(0, 500);
  const views = await Promise.all(wanted.map((account) => app.operations.account(account)));
  const items = views
    .filter((view) => (query.search === undefined ? view.lanes.length > 0 : !isUnknown(view)))
    .map(({ account, lanes }): AccountSummary => {
      const eligible = lanes.flatMap(({ oldestEligibleAgeMs: age }) => (age === null ? [] : [age]));
      return {
        account,
        waiting: lanes.reduce((sum, lane) => sum + lane.ready + lane.held, 0),
        oldestEligibleAgeMs: eligible.length === 0 ? null : Math.max(...eligible),
        oldestWaitingAgeMs: Math.max(0, ...lanes.map((lane) => lane.oldestWaitingAgeMs)),
      };
    })
    .toSorted((one, other) => other.oldestWaitingAgeMs - one.oldestWaitingAgeMs);
  return { items, cursor: null };
}
