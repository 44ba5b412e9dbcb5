import { httpError, RetryableError, UnknownOutcomeError, type EffectCall } from '@fairlane/sdk';
import { z } from 'zod';
import { readJsonAnswer } from '../http/read-answer.js';

export interface OutreachMessage {
  readonly accountId: string;
  readonly leadId: string;
  readonly step: number | string;
  readonly campaignRev: number | string;
  readonly channel: string;
  readonly to: string;
  readonly body: string;
}

export interface GatewayClientOptions {
  /** Base URL of the outreach platform. */
  readonly url: string;
  /** Time for one call, answer included. Default 10,000. */
  readonly timeoutMs?: number;
}

/** Calls the outreach platform. */
export interface GatewayClient {
  /** Time for one call, answer included, in milliseconds. */
  readonly timeoutMs: number;
  /** Sends a message; `reference` is stored with it and `idempotencyKey` makes the platform drop repeats. */
  send(message: OutreachMessage, call: EffectCall): Promise<SentMessage>;
  /**
   * The message sent under a reference, or undefined when there is none.
   *
   * @throws UnknownOutcomeError for an account that cannot be asked at all.
   */
  find(accountId: string, call: Pick<EffectCall, 'reference' | 'signal'>): Promise<SentMessage | undefined>;
}

export type SentMessage = z.infer<typeof sentMessage>;

const FROM = 'the outreach platform';
/** The platform promises that it did nothing when it answers one of these. */
const NOT_APPLIED = [503];

const sentMessage = z.object({ id: z.string().min(1).max(256) });

/**
 * Client of the outreach platform over fetch. Errors are made for `classifyError`: an answer keeps its status and
 * Retry-After, a lost connection its code.
 */
export function createGatewayClient({ url, timeoutMs = 10_000 }: GatewayClientOptions): GatewayClient {
  const base = url.replace(/\/+$/, '');
  const messagesUrl = (accountId: string) => `${base}/accounts/${encodeURIComponent(accountId)}/messages`;
  const withTimeout = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);

  return {
    timeoutMs,

    async send(message, { reference, idempotencyKey, signal }) {
      const { accountId, leadId, step, campaignRev, channel, to, body } = message;
      const response = await fetch(messagesUrl(accountId), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ reference, leadId, step, campaignRev, channel, to, body }),
        redirect: 'error',
        signal: withTimeout(signal),
      });
      return readMessage(response);
    },

    async find(accountId, { reference, signal }) {
      const response = await fetch(`${messagesUrl(accountId)}?reference=${encodeURIComponent(reference)}`, {
        redirect: 'error',
        signal: withTimeout(signal),
      });
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (response.status === 405) {
        await response.body?.cancel();
        throw new UnknownOutcomeError({ reason: `${FROM} cannot tell whether the message was sent` });
      }
      return readMessage(response);
    },
  };
}

async function readMessage(response: Response): Promise<SentMessage> {
  if (response.status !== 200) throw httpError(response, { from: FROM, notApplied: NOT_APPLIED });
  // A message id fits many times over into the bound.
  const answer = sentMessage.safeParse(await readJsonAnswer(response, { from: FROM }));
  // The message was taken, only its id is unknown: to be asked for later, never a reason to bury the job.
  if (!answer.success) throw new RetryableError({ reason: `${FROM} gave an answer that cannot be read` });
  return answer.data;
}
