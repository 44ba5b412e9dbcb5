import { decideFailure, type Classification, type RetryPolicy } from '@fairlane/sdk';
import type { ErrorRecord } from '../jobs/error-record.js';
import type { Settlement } from '../jobs/settlement.js';

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
