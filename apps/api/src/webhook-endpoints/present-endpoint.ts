import type { WebhookEndpoint } from '@fairlane/jobs/webhooks';
import type { z } from 'zod';
import type { endpointView } from './schemas.js';

const MASKED_SECRET = 'whsec_********';

/** An endpoint as callers see it. Not even the end of its secret: two of them could then be told apart. */
export function presentEndpoint(endpoint: WebhookEndpoint): z.output<typeof endpointView> {
  const { id, accountId, url, disabled } = endpoint;
  const common = { id, accountId, url, secret: MASKED_SECRET };
  if (disabled === undefined) return { ...common, disabled: false };
  return { ...common, disabled: true, disabledReason: disabled.reason, disabledAt: disabled.at };
}
