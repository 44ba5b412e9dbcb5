import { newWebhookSecret, type EndpointDisabled, type WebhookEndpoint } from '@fairlane/jobs/webhooks';
import type { z } from 'zod';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { checkTarget } from './check-target.js';
import { presentEndpoint } from './present-endpoint.js';
import type { endpointBody, endpointParams } from './schemas.js';

type PutCall = Call<z.output<typeof endpointParams>, unknown, z.output<typeof endpointBody>>;

/** `PUT /v1/webhook-endpoints/{id}`. A secret that is made here is told in this answer and never again. */
export async function putEndpoint(call: PutCall): Promise<Reply> {
  const { app, params, body, principal, requestId } = call;
  const { id } = params;
  const found = await app.webhookEndpoints.get(id);
  if (!mayTouch(principal, body.accountId)) throw new Problem('account_forbidden');
  if (found !== undefined && found.accountId !== body.accountId) throw idTaken();
  await checkTarget(body.url, app.allowPrivateTargets);

  const knownSecret = body.secret ?? found?.secret;
  const secret = knownSecret ?? newWebhookSecret();
  const disabled = disabledFrom(call, found);
  const endpoint: WebhookEndpoint = {
    id,
    accountId: body.accountId,
    url: body.url,
    secret,
    ...(disabled === undefined ? {} : { disabled }),
  };
  await store(call, endpoint);

  const view = presentEndpoint(endpoint);
  const target = { endpoint: id, account: body.accountId };
  const before = found === undefined ? null : presentEndpoint(found);
  app.audit({ principal, requestId, action: 'put_webhook_endpoint', target, before, after: view });
  const isTold = knownSecret === undefined;
  return { status: found === undefined ? 201 : 200, body: isTold ? { ...view, secret } : view };
}

/** Said, it is so; left out, it stays so for as long as the URL does: the reason was that URL's. */
function disabledFrom(
  { body, principal }: PutCall,
  found: WebhookEndpoint | undefined,
): EndpointDisabled | undefined {
  const before = found?.url === body.url ? found.disabled : undefined;
  if (body.disabled === undefined) return before;
  if (!body.disabled) return undefined;
  return before ?? { reason: `Disabled by ${principal.id}.`, at: new Date().toISOString() };
}

async function store({ app }: PutCall, endpoint: WebhookEndpoint): Promise<void> {
  const outcome = await app.webhookEndpoints.put(endpoint);
  if (outcome === 'other_account') throw idTaken();
  if (outcome === 'url_taken') {
    throw new Problem('endpoint_conflict', { detail: 'Another endpoint of the account has this URL.' });
  }
  if (outcome === 'too_many') throw new Problem('too_many_endpoints');
}

function idTaken(): Problem {
  return new Problem('endpoint_conflict', { detail: 'The id is taken by an endpoint of another account.' });
}
