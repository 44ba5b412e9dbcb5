import {
  createCatalogue,
  defineJob,
  defineLimitGroups,
  defineQueues,
  type Catalogue,
  type WaitingBounds,
} from '@fairlane/sdk';
import { z } from 'zod';

export const messageSend = defineJob({
  name: 'message.send',
  payload: z.object({
    accountId: z.string().min(1),
    leadId: z.string().min(1),
    step: z.int().min(0),
    campaign: z.string().optional(),
    channel: z.enum(['email', 'sms']),
    to: z.string().min(1).meta({ sensitive: true }),
    body: z.string().meta({ sensitive: true }),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.leadId, p.step],
  limitGroup: (p) => p.channel,
  queue: 'outreach',
  tag: (p) => p.campaign,
});

/** Routed by rule; a second reading of a minute counts as the first. */
const alertRaise = defineJob({
  name: 'alert.raise',
  payload: z.strictObject({
    accountId: z.string().min(1),
    host: z.string().min(1),
    readings: z.array(z.number()),
    details: z.json().optional(),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.host],
  onConflict: 'first',
});

/** Jobs of the API's own tests, so that they do not change with the product's. */
export const catalogue = catalogueWith({});

/** The same, with bounds of what may wait in `outreach`. */
export function catalogueWith(bounds: Partial<WaitingBounds>): Catalogue {
  return createCatalogue({
    jobs: [messageSend, alertRaise],
    queues: defineQueues(
      { outreach: { slots: 10, ...bounds }, critical: { slots: { min: 1, max: 4 } }, bulk: { slots: 3 } },
      { rules: [{ when: (job) => job.name === 'alert.raise', queue: 'critical' }, { queue: 'bulk' }] },
    ),
    limitGroups: defineLimitGroups({ email: {}, sms: { total: { limit: 1, perMs: 60_000 } }, default: {} }),
  });
}

let leadCount = 0;

/** A payload of `message.send`; every call gives a job of its own. */
export function message(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  leadCount += 1;
  return {
    accountId: 'a1',
    leadId: `lead-${leadCount}`,
    step: 1,
    channel: 'email',
    to: 'lead@example.com',
    body: 'Hello',
    ...overrides,
  };
}
