import { RetryableError, type Effect, type EffectOptions, type JobInfo, type JobLogger } from '@fairlane/sdk';
import { EffectNames } from '@fairlane/sdk/internal';

/** The attempt on whose behalf effects are performed. */
export interface EffectScope {
  readonly job: JobInfo;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts when the attempt must stop. */
  readonly signal: AbortSignal;
  /**
   * False once the attempt is over or its lease is lost, exact at the moment of the call: then nothing may be
   * performed or recorded any more.
   */
  readonly isCurrent: () => boolean;
  /** Time of the attempt as a whole. */
  readonly timeoutMs: number;
  /** Digest of the payload, to notice that a kept result belongs to another one. */
  readonly inputHash: string;
  readonly logger: JobLogger;
}

/** Gives each attempt its `ctx.effect`. The ledger is one; {@link plainEffects} keeps no record. */
export interface EffectRunner {
  forAttempt(scope: EffectScope): Effect;
}

/**
 * Performs effects without a ledger: a retry performs again, under the same idempotency key and reference. Enough
 * where the outside honours idempotency keys.
 */
export const plainEffects: EffectRunner = {
  forAttempt(scope) {
    const names = new EffectNames();
    return async (name, options) => {
      names.take(name);
      if (!scope.isCurrent()) {
        const reason = `effect ${name} was not performed: the attempt is over or its lease is lost`;
        throw new RetryableError({ code: 'aborted', reason, applied: 'no' });
      }
      return perform(scope, name, options);
    };
  },
};

async function perform<T>(
  { job, signal }: EffectScope,
  name: string,
  { perform: run, timeoutMs }: EffectOptions<T>,
): Promise<T> {
  return run({
    idempotencyKey: `${job.key}:${name}`,
    reference: job.key,
    signal: timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
}
