import type { JobState, PayloadIssue } from '@fairlane/sdk';
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
    };

/** Reads the reply of `submit.lua`; undefined when the server took it as too late. */
export function readReply(
  { identity: { id, key } }: Submission,
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
    case 'expired':
      return undefined;
    default:
      throw new Error(`unexpected reply to a submit: ${JSON.stringify(reply)}`);
  }
}
