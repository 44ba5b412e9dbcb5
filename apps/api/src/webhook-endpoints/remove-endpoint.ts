import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { presentEndpoint } from './present-endpoint.js';
import { endpointToRemove } from './reach-endpoint.js';
import type { endpointParams } from './schemas.js';

/** `DELETE /v1/webhook-endpoints/{id}`: what is still to be delivered there dies with `target_gone`. */
export async function removeEndpoint(call: Call<z.output<typeof endpointParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const endpoint = await endpointToRemove(call, params.id);
  if (!(await app.webhookEndpoints.remove(params.id))) throw new Problem('endpoint_not_found');
  const target = { endpoint: params.id, account: endpoint.accountId };
  const before = presentEndpoint(endpoint);
  app.audit({ principal, requestId, action: 'remove_webhook_endpoint', target, before, after: null });
  return { status: 204 };
}
