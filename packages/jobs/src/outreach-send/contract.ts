import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

/** Longest id, address or name that the platform takes. */
const shortText = z.string().min(1).max(512);
/** Campaign tools count steps and revisions, or name them. */
const counter = z.union([z.int().min(0), shortText]);

/** One step of an outreach sequence to one lead. */
export const outreachSend = defineJob({
  name: 'outreach.send',
  payload: z.object({
    accountId: z.string().min(1).max(256),
    leadId: shortText,
    step: counter,
    /** Raised when the campaign's texts change, so that a step can be sent again on purpose. */
    campaignRev: counter,
    campaign: z.string().min(1).max(256).optional(),
    channel: z.enum(['email', 'sms', 'crm']),
    to: shortText.meta({ sensitive: true }),
    body: z.string().max(100_000).meta({ sensitive: true }),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.leadId, p.step, p.campaignRev],
  limitGroup: (p) => p.channel,
  queue: 'outreach',
  tag: (p) => p.campaign,
});
