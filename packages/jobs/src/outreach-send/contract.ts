import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

/** One step of an outreach sequence to one lead. */
export const outreachSend = defineJob({
  name: 'outreach.send',
  payload: z.object({
    accountId: z.string().min(1),
    leadId: z.string().min(1),
    step: z.int().min(0),
    /** Raised when the campaign's texts change, so that a step can be sent again on purpose. */
    campaignRev: z.int().min(0),
    campaign: z.string().min(1).optional(),
    channel: z.enum(['email', 'sms', 'crm']),
    to: z.string().min(1).meta({ sensitive: true }),
    body: z.string().meta({ sensitive: true }),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.leadId, p.step, p.campaignRev],
  limitGroup: (p) => p.channel,
  queue: 'outreach',
  tag: (p) => p.campaign,
  timeoutMs: 30_000,
});
