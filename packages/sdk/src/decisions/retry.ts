import type { Classification } from '../errors/classification.js';
import type { RetryPolicy } from '../contract/contract.js';

/**
 * Milliseconds to wait after the given attempt (counted from 1) failed: full jitter,
 * `uniform(0, min(capMs, baseMs * 2^(attempt - 1)))`. Finite, whole, never below 0 and never above `capMs`.
 *
 * @param random gives a number in [0, 1), as `Math.random` does.
 */
export function nextDelayMs(
  policy: Pick<RetryPolicy, 'baseMs' | 'capMs'>,
  attempt: number,
  random: () => number,
): number {
  // 2 ** 1024 is Infinity, and 0 * Infinity would be NaN.
  const doublings = Math.min(Math.max(Number.isNaN(attempt) ? 0 : attempt - 1, 0), 1_023);
  const range = Math.min(policy.capMs, policy.baseMs * 2 ** doublings);
  return Math.floor(range * random());
}

/**
 * Milliseconds to wait after an attempt that ended with this classification: what the outside asked for, up to
 * `maxRetryAfterMs`; else {@link nextDelayMs}.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  attempt: number,
  { retryAfterMs }: Pick<Classification, 'retryAfterMs'>,
  random: () => number,
): number {
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return nextDelayMs(policy, attempt, random);
  return Math.ceil(Math.min(retryAfterMs, policy.maxRetryAfterMs));
}
