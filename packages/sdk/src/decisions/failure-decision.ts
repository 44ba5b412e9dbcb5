import type { Classification } from '../errors/classification.js';
import type { RetryPolicy } from '../contract/contract.js';
import { DEAD_CODES, type DeadCode } from '../job-states.js';
import { nextDelayMs, retryDelayMs } from './retry.js';

/** A failed attempt, as {@link decideFailure} needs to know it. */
export interface FailedAttempt {
  readonly classification: Classification;
  /** The attempt ran out of its `timeoutMs`, whatever the handler threw then. */
  readonly timedOut: boolean;
  readonly policy: RetryPolicy;
  /** Counted from 1; starts that were put off do not count. */
  readonly attempt: number;
  /** Starts in a row that were put off, this one included. */
  readonly deferrals: number;
  /** When the first of them was put off, milliseconds since the epoch; undefined for the first. */
  readonly deferredSinceMs: number | undefined;
  readonly nowMs: number;
  /** A number in [0, 1), as of `Math.random`. */
  readonly random: () => number;
}

/** What becomes of the job. Delays are whole milliseconds, never below 0. */
export type FailureDecision =
  | { readonly kind: 'dead'; readonly code: DeadCode }
  /** Another attempt after the delay; this one counts. */
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** Another start after the delay; this one does not count. */
  | { readonly kind: 'defer'; readonly delayMs: number; readonly sinceMs: number };

/** Decides by the table of `docs/errors.md` what becomes of a job whose attempt failed. Pure. */
export function decideFailure(failed: FailedAttempt): FailureDecision {
  const { classification, timedOut, policy, attempt, random } = failed;
  // A time-out explains only what the handler did not: a definite answer of the outside still stands.
  if (classification.class === 'permanent') return { kind: 'dead', code: deadCode(classification) };
  if (classification.class === 'throttled') {
    return deferOrDie(failed, classification.code === 'effect_deferred' ? 'unknown_outcome' : 'throttled');
  }
  if (attempt >= policy.attempts) return { kind: 'dead', code: timedOut ? 'timeout' : 'attempts_exhausted' };
  return { kind: 'retry', delayMs: retryDelayMs(policy, attempt, timedOut ? {} : classification, random) };
}

function deadCode({ code }: Classification): DeadCode {
  return DEAD_CODES.find((dead) => dead === code) ?? 'rejected';
}

function deferOrDie(failed: FailedAttempt, code: DeadCode): FailureDecision {
  const { classification, policy, deferrals, nowMs, random } = failed;
  const sinceMs = failed.deferredSinceMs ?? nowMs;
  const delayMs =
    classification.retryAfterMs === undefined
      ? nextDelayMs(policy, deferrals, random)
      : retryDelayMs(policy, deferrals, classification, random);
  // Asked again before the outside allows it, the job would only be put off again: its time is over now.
  const over = nowMs - sinceMs >= policy.maxDeferMs || nowMs + delayMs - sinceMs > policy.maxDeferMs;
  return over ? { kind: 'dead', code } : { kind: 'defer', delayMs, sinceMs };
}
