import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { presentPause } from './present-account.js';
import { accountToChange } from './reach-account.js';
import { refusing } from './refusing.js';
import type { accountParams } from './schemas.js';

type AccountCall = Call<z.output<typeof accountParams>>;

/** `POST /v1/accounts/{account}/pause`: what runs goes on, nothing else starts. A second pause changes nothing. */
export async function pauseAccount(call: AccountCall): Promise<Reply> {
  return change(call, 'pause_account', (account, by) => call.app.operations.pause(account, by));
}

/** `POST /v1/accounts/{account}/resume` */
export async function resumeAccount(call: AccountCall): Promise<Reply> {
  return change(call, 'resume_account', (account, by) => call.app.operations.resume(account, by));
}

async function change(
  call: AccountCall,
  action: string,
  apply: (account: string, by: string) => Promise<boolean>,
): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { account } = params;
  const before = presentPause((await accountToChange(call, account)).paused);
  await refusing(apply(account, principal.id));
  const paused = presentPause((await app.operations.account(account)).paused);
  app.audit({ principal, requestId, action, target: { account }, before, after: paused });
  return { status: 200, body: { account, paused } };
}
