import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { presentAccount } from './present-account.js';
import { findAccount } from './reach-account.js';
import type { accountParams } from './schemas.js';

/** `GET /v1/accounts/{account}` */
export async function getAccount(call: Call<z.output<typeof accountParams>>): Promise<Reply> {
  const view = await findAccount(call, call.params.account);
  const [around] = await call.app.operations.surroundings([view]);
  return { status: 200, body: presentAccount(view, around) };
}
