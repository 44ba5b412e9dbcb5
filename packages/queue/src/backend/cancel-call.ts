import type { JobState } from '@fairlane/sdk';
import { dedupKey } from '../dedup/dedup-key.js';
import type { ActingOperation, Scalar } from './outer-call.js';

/** A job as a bulk operation has seen it. */
export interface MeantJob {
  readonly operation: ActingOperation;
  readonly createdAtMs: number;
  /** In which it may be cancelled. */
  readonly states: readonly JobState[];
}

export type CancelReply =
  | readonly ['cancelled', queue: string, name: string]
  /** It runs: its signal is aborted, and it settles soon. */
  | 'cancelling'
  | 'already_finished'
  | 'not_found'
  /** The operation has ended, or is another runner's. */
  | 'stopped'
  /** Not the job or not the state that was meant. */
  | 'passed_over';

/** Where `lua/cancel.lua` says which running job a person has cancelled. */
export function cancelChannel(redisPrefix: string): string {
  return `${redisPrefix}::cancel`;
}

/** Keys and arguments of `lua/cancel.lua`. */
export function cancelCall(
  redisPrefix: string,
  id: string,
  queues: readonly string[],
  meant: MeantJob | undefined,
): Scalar[] {
  const { bucketKey, field } = dedupKey(redisPrefix, id);
  const { operation, createdAtMs = '', states = [] } = meant ?? {};
  return [
    bucketKey,
    operation?.key ?? bucketKey,
    field,
    id,
    `${redisPrefix}:`,
    cancelChannel(redisPrefix),
    operation?.id ?? '',
    operation?.fence ?? '',
    createdAtMs,
    JSON.stringify(states),
    ...queues,
  ];
}
