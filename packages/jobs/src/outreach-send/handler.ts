import { implement } from '@fairlane/sdk';
import { outreachSend } from './contract.js';
import type { GatewayClient } from './gateway-client.js';

/** Work of `outreach.send`: one message to the platform, however often the job is tried. */
export function createOutreachSend(gateway: GatewayClient) {
  return implement(outreachSend, async (payload, ctx) => {
    const sent = await ctx.effect('send', {
      perform: (call) => gateway.send(payload, call),
      alreadyApplied: (call) => gateway.find(payload.accountId, call),
      repeatable: { keyTtlMs: 86_400_000 },
    });
    return { messageId: sent.id };
  });
}
