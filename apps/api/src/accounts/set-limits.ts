import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { definedOnly } from '../http/defined-only.js';
import { presentLimits, UNLIMITED, type LimitsView } from './present-limits.js';
import { accountToChange } from './reach-account.js';
import { refusing } from './refusing.js';
import type { gateParams, limitsBody } from './schemas.js';

type GateCall<B = unknown> = Call<z.output<typeof gateParams>, unknown, B>;

/** `PUT /v1/accounts/{account}/limits/{group}` */
export async function setLimits(call: GateCall<z.output<typeof limitsBody>>): Promise<Reply> {
  return changeLimits(call, 'set_limits', (account, group) =>
    call.app.operations.setLimits(account, group, definedOnly(call.body)),
  );
}

/** `DELETE /v1/accounts/{account}/limits/{group}`: back to what the group gives every account. */
export async function removeLimits(call: GateCall): Promise<Reply> {
  return changeLimits(call, 'remove_limits', (account, group) =>
    call.app.operations.removeLimits(account, group),
  );
}

async function changeLimits(
  call: GateCall,
  action: string,
  change: (account: string, group: string) => Promise<void>,
): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { account, group } = params;
  const before = limitsOf(await accountToChange(call, account), group);
  await refusing(change(account, group));
  const limits = limitsOf(await app.operations.account(account), group);
  app.audit({ principal, requestId, action, target: { account, group }, before, after: limits });
  return { status: 200, body: { account, group, limits } };
}

function limitsOf(view: Awaited<ReturnType<typeof accountToChange>>, group: string): LimitsView {
  const gate = view.gates.find((one) => one.group === group);
  return gate ? presentLimits(gate.limits) : UNLIMITED;
}
