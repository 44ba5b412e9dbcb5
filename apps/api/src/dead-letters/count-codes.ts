import type { z } from 'zod';
import { accountOf } from '../http/account-of.js';
import { mayTouch } from '../http/access.js';
import { definedOnly } from '../http/defined-only.js';
import type { Call, Reply } from '../http/route.js';
import type { deadCodesQuery } from './schemas.js';

const nothing = { matched: 0, byCode: {}, complete: true };

/** `GET /v1/dead-letters/codes`: over all that match, where a page of the list knows its own items only. */
export async function countCodes(call: Call<unknown, z.output<typeof deadCodesQuery>>): Promise<Reply> {
  const { app, principal, query } = call;
  const account = accountOf(call);
  if (account !== undefined && !mayTouch(principal, account)) return { status: 200, body: nothing };
  const { since, until, ...wanted } = query;
  const filter = definedOnly({ ...wanted, account, since: since?.getTime(), until: until?.getTime() });
  return { status: 200, body: await app.operations.deadCodes(filter) };
}
