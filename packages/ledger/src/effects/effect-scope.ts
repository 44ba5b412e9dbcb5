import type { Effect, JobInfo, JobLogger } from '@fairlane/sdk';

/** The attempt on whose behalf effects are performed. */
export interface EffectScope {
  readonly job: JobInfo;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts when the attempt must stop. */
  readonly signal: AbortSignal;
  /**
   * False once the attempt is over or its lease is lost, exact at the moment of the call (by a monotonic clock, not
   * by a timer that a blocked event loop would run late): then nothing may be performed any more.
   */
  readonly isCurrent: () => boolean;
  /** Time of the attempt as a whole, which begins with `forAttempt`. */
  readonly timeoutMs: number;
  /** Digest of the job's payload, to notice that a kept result belongs to another one. */
  readonly inputHash: string;
  readonly logger: Pick<JobLogger, 'warn'>;
}

/** Gives each attempt its `ctx.effect`. */
export interface EffectRunner {
  forAttempt(scope: EffectScope): Effect;
}

/** What became of one use of `ctx.effect`, to be counted. */
export type EffectOutcome =
  /** Performed by this attempt. */
  | 'performed'
  /** The kept result of an earlier attempt was given back. */
  | 'replayed'
  /** An earlier attempt had applied it, as the outside says. */
  | 'found'
  /** Certainly not applied. */
  | 'not_applied'
  /** Sent, and this attempt cannot tell whether it was applied. */
  | 'unsettled'
  /** Put off: it cannot be told now, or the ledger cannot be reached. */
  | 'deferred'
  /** Given up: a person decides. */
  | 'unknown'
  /** This attempt has lost the job. */
  | 'stale';
