import type { z } from 'zod';
import { accountOf } from '../http/account-of.js';
import { mayTouch } from '../http/access.js';
import { definedOnly } from '../http/defined-only.js';
import type { Call, Reply } from '../http/route.js';
import { markOthers } from '../jobs/present-job.js';
import type { deadLettersQuery } from './schemas.js';

const emptyPage = { items: [], cursor: null };

/**
 * `GET /v1/dead-letters`, the latest first. A page may be shorter than asked for: what a rare filter leaves is looked
 * for among a bounded number, and the cursor goes on from there.
 */
export async function listDeadLetters(
  call: Call<unknown, z.output<typeof deadLettersQuery>>,
): Promise<Reply> {
  const { app, principal, query } = call;
  const account = accountOf(call);
  if (account !== undefined && !mayTouch(principal, account)) return { status: 200, body: emptyPage };
  const { since, until, cursor: sealed, ...wanted } = query;
  const cursor = app.cursors.open('dead-letters', sealed);
  const filter = definedOnly({
    ...wanted,
    account,
    since: since?.getTime(),
    until: until?.getTime(),
    cursor,
  });
  const page = await app.operations.deadLetters(filter);
  const items = page.items.map(markOthers);
  return { status: 200, body: app.cursors.seal('dead-letters', { items, cursor: page.cursor }) };
}
