import type { Effect, JobInfo, JobLogger } from '../contract/handler.js';

/** The attempt on whose behalf effects are performed. */
export interface EffectScope {
  readonly job: JobInfo;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts when the attempt must stop. */
  readonly signal: AbortSignal;
  /**
   * False once the attempt is over or its lease is lost, exact at the moment of the call (by a monotonic clock, not
   * by a timer that a blocked event loop would run late): then nothing may be performed or recorded any more.
   */
  readonly isCurrent: () => boolean;
  /** Time of the attempt as a whole, which begins with `forAttempt`. */
  readonly timeoutMs: number;
  /** Digest of the job's payload, to notice that a kept result belongs to another one. */
  readonly inputHash: string;
  readonly logger: Pick<JobLogger, 'warn'>;
}

/** Gives each attempt its `ctx.effect`: what a consumer takes and a ledger makes. */
export interface EffectRunner {
  forAttempt(scope: EffectScope): Effect;
}
