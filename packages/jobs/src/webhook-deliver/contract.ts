import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

/** One event to one endpoint of an account. */
export const webhookDeliver = defineJob({
  name: 'webhook.deliver',
  payload: z.object({
    accountId: z.string().min(1).max(256),
    /** Sent as `webhook-id`, so what a header can carry. */
    eventId: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .max(256),
    /** Of an endpoint that the account has registered. */
    url: z.url({ protocol: /^https?$/ }).max(2_048),
    /** Kind of event, such as `invoice.paid`. */
    event: z.string().min(1).max(128),
    /** Sent as JSON; text is sent as it is. */
    body: z.json().meta({ sensitive: true }),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.eventId, p.url],
  limitGroup: 'webhook',
  queue: 'webhooks',
  tag: (p) => p.event,
});
