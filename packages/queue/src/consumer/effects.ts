import { FairlaneError, type Effect, type EffectOptions, type JobInfo } from '@fairlane/sdk';

/** The attempt on whose behalf effects are performed. */
export interface EffectScope {
  readonly job: JobInfo;
  readonly attempt: number;
  /** Aborts when the attempt must stop. */
  readonly signal: AbortSignal;
  /** False once the attempt is over or its lease is lost: nothing may be performed or recorded any more. */
  readonly isCurrent: () => boolean;
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
    const used = new Set<string>();
    return async (name, options) => {
      if (used.has(name)) throw new EffectMisuseError(`effect ${name} was used twice in one attempt`);
      used.add(name);
      if (!scope.isCurrent()) {
        throw new EffectMisuseError(
          `effect ${name} was not performed: the attempt is over or its lease is lost`,
        );
      }
      return perform(scope, name, options);
    };
  },
};

/** An effect called where it must not be performed. */
export class EffectMisuseError extends FairlaneError {
  constructor(message: string) {
    super('effect_misuse', message);
  }
}

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
