import type { WebhookEndpoint } from '@fairlane/jobs/webhooks';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call } from '../http/route.js';

/** For reads: an endpoint of others is answered as one that never was. */
export async function findEndpoint({ app, principal }: Call, id: string): Promise<WebhookEndpoint> {
  const endpoint = await app.webhookEndpoints.get(id);
  if (endpoint === undefined || !mayTouch(principal, endpoint.accountId)) {
    throw new Problem('endpoint_not_found');
  }
  return endpoint;
}

/** For removals: a token limited to accounts is not told whether the endpoint is of others or of nobody. */
export async function endpointToRemove({ app, principal }: Call, id: string): Promise<WebhookEndpoint> {
  const endpoint = await app.webhookEndpoints.get(id);
  const isReached = endpoint !== undefined && mayTouch(principal, endpoint.accountId);
  if (!isReached && principal.accounts !== undefined) throw new Problem('account_forbidden');
  if (endpoint === undefined) throw new Problem('endpoint_not_found');
  return endpoint;
}
