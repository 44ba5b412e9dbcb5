import { implement } from '@fairlane/sdk';
import { outreachSend } from './contract.js';
import type { GatewayClient } from './gateway-client.js';

/** How long after its time-out the platform may still apply a request. */
const SETTLE_MS = 5_000;

/**
 * Work of `outreach.send`: one message to the platform, however often the job is tried.
 *
 * The idempotency key goes along, but the effect is not declared `repeatable`: some accounts ignore the key. After an
 * unknown outcome the platform is asked instead, and says so where it cannot be asked either.
 */
export function createOutreachSend(gateway: GatewayClient) {
  return implement(outreachSend, async (payload, ctx) => {
    const sent = await ctx.effect('send', {
      perform: (call) => gateway.send(payload, call),
      alreadyApplied: (call) => gateway.find(payload.accountId, call),
      timeoutMs: gateway.timeoutMs,
      settleMs: SETTLE_MS,
    });
    return { messageId: sent.id };
  });
}
