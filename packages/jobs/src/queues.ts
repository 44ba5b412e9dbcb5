import { defineLimitGroups, defineQueues } from '@fairlane/sdk';

/** Slots are per worker process. A job without a queue of its own goes to `bulk`. */
export const queues = defineQueues(
  {
    critical: { slots: 10 },
    outreach: { slots: 10 },
    webhooks: { slots: 10 },
    bulk: { slots: 3 },
    analytics: { slots: 1 },
  },
  { rules: [{ queue: 'bulk' }] },
);

/** No group has limits of its own: accounts get theirs over the API. */
export const limitGroups = defineLimitGroups({
  email: {},
  sms: {},
  crm: {},
  incident: {},
  webhook: {},
  default: {},
});
