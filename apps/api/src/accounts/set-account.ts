import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { definedOnly } from '../http/defined-only.js';
import { presentSettings } from './present-account.js';
import { accountToChange } from './reach-account.js';
import { refusing } from './refusing.js';
import type { accountBody, accountParams } from './schemas.js';

type SettingsCall = Call<z.output<typeof accountParams>, unknown, z.output<typeof accountBody>>;

/** `PUT /v1/accounts/{account}`: what the body leaves out stays as it is. */
export async function setAccount(call: SettingsCall): Promise<Reply> {
  const { app, params, body, principal, requestId } = call;
  const { account } = params;
  const before = presentSettings(await accountToChange(call, account));
  await refusing(app.operations.setAccount(account, definedOnly(body)));
  const after = presentSettings(await app.operations.account(account));
  app.audit({ principal, requestId, action: 'set_account', target: { account }, before, after });
  return { status: 200, body: after };
}
