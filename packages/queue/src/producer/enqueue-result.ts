import type { JobState, PayloadIssue } from '@fairlane/sdk';
import { UNKNOWN_DRAIN_MS } from './drain-rates.js';
import type { Submission } from './submission.js';

/** What became of one job handed in. */
export type EnqueueResult =
  | {
      readonly outcome: 'accepted' | 'duplicate';
      readonly id: string;
      /** Business key, 64 hex digits. */
      readonly key: string;
      /** Of the job that holds the key; `dead` tells that only a replay will run it. */
      readonly state: JobState;
    }
  | { readonly outcome: 'conflict'; readonly id: string; readonly key: string }
  | {
      readonly outcome: 'refused';
      readonly code: 'invalid_payload' | 'payload_too_large' | 'unavailable';
      readonly issues: readonly PayloadIssue[];
    }
  | QueueFull;

/** As many jobs wait as may: nothing was stored. */
export interface QueueFull {
  readonly outcome: 'refused';
  readonly code: 'queue_full';
  /** One, that names the bound. */
  readonly issues: readonly PayloadIssue[];
  /** By then there should be room, as fast as the queue drains now. */
  readonly retryAfterMs: number;
}

export function isQueueFull(result: EnqueueResult | undefined): result is QueueFull {
  return result?.outcome === 'refused' && result.code === 'queue_full';
}

/** Reads the reply of `submit.lua`; undefined when the server took it as too late. */
export function readReply(
  { identity: { id, key }, queue, bounds }: Submission,
  reply: unknown,
  delayed: boolean,
): EnqueueResult | undefined {
  const [outcome, state] = Array.isArray(reply) ? (reply as unknown[]) : [];
  switch (outcome) {
    case 'accepted':
      return { outcome, id, key, state: delayed ? 'scheduled' : 'ready' };
    case 'duplicate':
      return { outcome, id, key, state: state as JobState };
    case 'conflict':
      return { outcome, id, key };
    case 'full': {
      const bound = state === 'account' ? 'maxWaitingPerAccount' : 'maxWaiting';
      const whose = state === 'account' ? 'of the account ' : '';
      const message = `${bounds[bound]} jobs ${whose}wait in the queue ${queue}, as many as may (${bound})`;
      const issues = [{ path: '', message }];
      return { outcome: 'refused', code: 'queue_full', issues, retryAfterMs: UNKNOWN_DRAIN_MS };
    }
    case 'expired':
      return undefined;
    default:
      throw new Error(`unexpected reply to a submit: ${JSON.stringify(reply)}`);
  }
}
