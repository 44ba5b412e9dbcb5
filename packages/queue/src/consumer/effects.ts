import { RetryableError, type EffectOptions } from '@fairlane/sdk';
import { EffectNames, type EffectRunner, type EffectScope } from '@fairlane/sdk/internal';

export type { EffectRunner };

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
