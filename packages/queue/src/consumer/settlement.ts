import { decideFailure, type Classification, type HeldReason, type RetryPolicy } from '@fairlane/sdk';
import type { ErrorRecord } from '../jobs/error-record.js';

/** What is done with a job whose attempt did not succeed. */
export type Settlement =
  /** Dead letter: kept for a person. */
  | { readonly kind: 'dead'; readonly error: ErrorRecord }
  /** Another attempt later; this one counts. */
  | { readonly kind: 'retry'; readonly error: ErrorRecord; readonly delayMs: number }
  /** The outside throttles: back to its lane, whose gate closes for the delay. The attempt does not count. */
  | {
      readonly kind: 'throttle';
      readonly error: ErrorRecord;
      readonly delayMs: number;
      /** When the job was first put off in this row, ms since the epoch. */
      readonly sinceMs: number;
    }
  /** This job alone not before a delay; the attempt does not count. */
  | {
      readonly kind: 'defer';
      /** Undefined: it waits as one that is retried. */
      readonly reason: HeldReason | undefined;
      readonly error?: ErrorRecord;
      readonly delayMs: number;
      readonly sinceMs: number | undefined;
    }
  /** A person has cancelled it: the end of its run. */
  | { readonly kind: 'cancel' }
  /** Back to the queue at once, the attempt does not count: the worker is shutting down. */
  | { readonly kind: 'release' }
  /** Nothing may be written: the lease is lost, another worker has the job or will take it. */
  | { readonly kind: 'abandon' };

/** Why an attempt was ended from outside the handler. */
export type StopCause = 'timeout' | 'lease_lost' | 'shutdown' | 'cancelled';

export interface FailedAttempt {
  readonly classification: Classification;
  readonly stoppedBy: StopCause | undefined;
  readonly policy: RetryPolicy;
  /** Counted from 1, throttled ones left out. */
  readonly attempt: number;
  /** Starts of this run that did not count, this one included when it was throttled. */
  readonly deferrals: number;
  /** First of the throttled starts in a row, ms since the epoch; undefined when the previous start was not throttled. */
  readonly deferredSinceMs: number | undefined;
  readonly timeoutMs: number;
  readonly nowMs: number;
  readonly random: () => number;
}

/**
 * Decides by the table "An attempt" of docs/job-lifecycle.md. Pure. A definite answer of the outside stands whatever
 * stopped the attempt; a lost lease leaves nothing to decide.
 */
export function settle(failed: FailedAttempt): Settlement {
  const { classification, stoppedBy } = failed;
  if (stoppedBy === 'lease_lost') return { kind: 'abandon' };
  if (stoppedBy === 'cancelled' && classification.class !== 'permanent') return { kind: 'cancel' };
  // A stop explains only what the handler did not.
  const isExplained = classification.class === 'retryable' || classification.class === 'unknown';
  if (stoppedBy === 'shutdown' && isExplained) return { kind: 'release' };
  const timedOut = stoppedBy === 'timeout' && isExplained;
  const decision = decideFailure({ ...failed, timedOut });
  const error = record(failed, timedOut ? timeOut(failed) : classification);
  if (decision.kind === 'dead') return { kind: 'dead', error: { ...error, code: decision.code } };
  if (decision.kind === 'retry') return { kind: 'retry', error, delayMs: decision.delayMs };
  const { delayMs, sinceMs } = decision;
  // An effect that cannot be told yet says nothing about the other jobs of the gate.
  return classification.code === 'throttled'
    ? { kind: 'throttle', error, delayMs, sinceMs }
    : { kind: 'defer', reason: undefined, error, delayMs, sinceMs };
}

function timeOut({ timeoutMs }: FailedAttempt): Pick<Classification, 'code' | 'class' | 'reason'> {
  return {
    class: 'retryable',
    code: 'timeout',
    reason: `the attempt took longer than ${timeoutMs} ms`,
  };
}

function record(
  { attempt, nowMs }: FailedAttempt,
  { code, class: errorClass, reason, status }: Pick<Classification, 'code' | 'class' | 'reason' | 'status'>,
): ErrorRecord {
  return {
    code,
    class: errorClass,
    message: reason,
    ...(status === undefined ? {} : { status }),
    at: new Date(nowMs).toISOString(),
    attempt,
  };
}
