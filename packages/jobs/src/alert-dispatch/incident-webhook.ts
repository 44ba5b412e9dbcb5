import { httpError, type EffectCall } from '@fairlane/sdk';
import { describeReading, type Reading } from './reading.js';

export interface IncidentWebhookOptions {
  /** Where whoever is on duty is reached. */
  readonly url: string;
  /** Time for one call. Default 15,000. */
  readonly timeoutMs?: number;
}

export interface IncidentWebhook {
  readonly timeoutMs: number;
  open(reading: Reading, call: EffectCall): Promise<{ status: number }>;
}

/**
 * Posts an incident as JSON. `text` is what chat tools show, `dedupKey` and `Idempotency-Key` are what incident tools
 * go by to see a repeat. The URL is the operator's own, so it may lead inside the network.
 */
export function createIncidentWebhook({ url, timeoutMs = 15_000 }: IncidentWebhookOptions): IncidentWebhook {
  return {
    timeoutMs,
    async open(reading, { idempotencyKey, reference, signal }) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({
          event: 'disk.full',
          text: describeReading(reading),
          dedupKey: reference,
          ...reading,
        }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (!response.ok) throw httpError(response, { from: 'the incident webhook', notApplied: [503] });
      // Its status is all that counts; what is unread would hold the connection.
      await response.body?.cancel();
      return { status: response.status };
    },
  };
}
