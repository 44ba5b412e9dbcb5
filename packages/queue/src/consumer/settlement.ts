import {
  nextDelayMs,
  retryDelayMs,
  type Classification,
  type HeldReason,
  type RetryPolicy,
} from '@fairlane/sdk';
import type { ErrorRecord } from '../jobs/error-record.js';

/** What is done with a job whose attempt did not succeed. */
export type Settlement =
  /** Dead letter: kept for a person. */
  | { readonly kind: 'dead'; readonly error: ErrorRecord }
  /** Another attempt later; this one counts. */
  | { readonly kind: 'retry'; readonly error: ErrorRecord; readonly delayMs: number }
  /** Not before a delay; the attempt does not count. */
  | {
      readonly kind: 'defer';
      /** Undefined: it waits as one that is retried. */
      readonly reason: HeldReason | undefined;
      readonly error?: ErrorRecord;
      readonly delayMs: number;
      /** When the job was first put off in this row, ms since the epoch. */
      readonly sinceMs: number;
    }
  /** Back to the queue at once, the attempt does not count: the worker is shutting down. */
  | { readonly kind: 'release' }
  /** Nothing may be written: the lease is lost, another worker has the job or will take it. */
  | { readonly kind: 'abandon' };

/** Why an attempt was ended from outside the handler. */
export type StopCause = 'timeout' | 'lease_lost' | 'shutdown';

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

/** Decides by the table "Errors" of docs/job-lifecycle.md. Pure. Delays are whole and never below 0 (A08-A10). */
export function settle(failed: FailedAttempt): Settlement {
  const { classification, stoppedBy } = failed;
  if (stoppedBy === 'lease_lost') return { kind: 'abandon' };
  if (stoppedBy === 'shutdown') return { kind: 'release' };
  if (stoppedBy === 'timeout') return retryOrDie(failed, timedOut(failed), 'timeout');
  switch (classification.class) {
    case 'permanent':
      return { kind: 'dead', error: record(failed, classification) };
    case 'throttled':
      return deferOrDie(failed);
    default:
      return retryOrDie(failed, classification, 'attempts_exhausted');
  }
}

function retryOrDie(failed: FailedAttempt, classification: Classification, deadCode: string): Settlement {
  const { policy, attempt, random } = failed;
  if (attempt >= policy.attempts) {
    return { kind: 'dead', error: { ...record(failed, classification), code: deadCode } };
  }
  const delayMs = atLeastZero(retryDelayMs(policy, attempt, classification, random));
  return { kind: 'retry', error: record(failed, classification), delayMs };
}

function deferOrDie(failed: FailedAttempt): Settlement {
  const { classification, policy, deferrals, nowMs, random } = failed;
  const sinceMs = failed.deferredSinceMs ?? nowMs;
  const error = record(failed, classification);
  const delayMs = atLeastZero(
    classification.retryAfterMs === undefined
      ? nextDelayMs(policy, deferrals, random)
      : retryDelayMs(policy, deferrals, classification, random),
  );
  // Asked again before the outside allows it, the job would only be throttled again: its time is over now.
  const over = nowMs - sinceMs >= policy.maxDeferMs || nowMs + delayMs - sinceMs > policy.maxDeferMs;
  const effectUnknown = classification.code === 'effect_deferred';
  if (over) return { kind: 'dead', error: effectUnknown ? { ...error, code: 'unknown_outcome' } : error };
  return { kind: 'defer', reason: effectUnknown ? undefined : 'throttled', error, delayMs, sinceMs };
}

function timedOut({ timeoutMs }: FailedAttempt): Classification {
  const reason = `the attempt took longer than ${timeoutMs} ms`;
  return { class: 'retryable', code: 'timeout', reason, applied: 'unknown' };
}

function record(
  { attempt, nowMs }: FailedAttempt,
  { code, class: errorClass, reason, status }: Classification,
) {
  return {
    code,
    class: errorClass,
    message: reason,
    ...(status === undefined ? {} : { status }),
    at: new Date(nowMs).toISOString(),
    attempt,
  } satisfies ErrorRecord;
}

function atLeastZero(delayMs: number): number {
  return Number.isFinite(delayMs) && delayMs > 0 ? Math.ceil(delayMs) : 0;
}
