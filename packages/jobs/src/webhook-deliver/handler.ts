import { httpError, implement, PermanentError, type EffectCall, type Payload } from '@fairlane/sdk';
import { guardedPost } from '../guarded-fetch/guarded-post.js';
import type { TargetRules } from '../guarded-fetch/target.js';
import { webhookDeliver } from './contract.js';
import type { WebhookEndpoint, WebhookEndpoints } from './endpoints.js';
import { signatureHeaders } from './signature.js';

export interface WebhookDeliverDependencies extends TargetRules {
  readonly endpoints: WebhookEndpoints;
  /** Time for one delivery. Default 15,000. */
  readonly timeoutMs?: number;
}

/**
 * Receivers of Standard Webhooks drop repeats by `webhook-id`. How long they remember is not said; a job is retried
 * for hours, so what is older than this is a replay by hand and a person's decision.
 */
const KEY_TTL_MS = 7 * 86_400_000;

/** Work of `webhook.deliver`: one signed post to an endpoint that the account has registered. */
export function createWebhookDeliver({
  endpoints,
  timeoutMs = 15_000,
  ...rules
}: WebhookDeliverDependencies) {
  return implement(webhookDeliver, async (payload, ctx) => {
    const endpoint = await endpoints.find(payload.accountId, payload.url);
    if (endpoint === undefined) {
      throw new PermanentError({ code: 'target_gone', reason: 'The account has no endpoint with this URL.' });
    }
    if (endpoint.disabled !== undefined) {
      const reason = `The endpoint is disabled: ${endpoint.disabled.reason}`;
      throw new PermanentError({ code: 'target_gone', reason });
    }
    return ctx.effect('deliver', {
      perform: (call) => deliver(payload, endpoint, call),
      repeatable: { keyTtlMs: KEY_TTL_MS },
      timeoutMs,
    });
  });

  async function deliver(
    { eventId, event, body: content }: Payload<typeof webhookDeliver>,
    endpoint: WebhookEndpoint,
    { signal }: EffectCall,
  ): Promise<{ status: number }> {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const answer = await guardedPost({
      ...rules,
      url: endpoint.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Fairlane-Webhooks/1.0',
        'webhook-event': encodeURIComponent(event),
        ...signatureHeaders(endpoint.secret, { id: eventId, sentAtMs: Date.now(), body }),
      },
      body,
      timeoutMs,
      signal,
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return { status };
    if (status === 410) {
      const reason = 'The receiver answered 410: it takes no more webhooks here.';
      await endpoints.disable(endpoint, { reason, at: new Date().toISOString() });
    }
    if (status >= 300 && status < 400) {
      const reason = `The endpoint answered ${status}: redirects are not followed.`;
      throw new PermanentError({ status, reason });
    }
    // By the specification anything but a 2xx says "not taken, send it again".
    throw httpError(answer, { from: 'the endpoint', notApplied: [status] });
  }
}
