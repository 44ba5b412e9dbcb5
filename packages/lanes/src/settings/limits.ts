import { LaneError } from '../errors.js';

/** A token bucket and a cap of what runs at once; what is left out does not limit. */
export interface Limits {
  /** Tokens that come back in `perMs`. */
  limit?: number;
  perMs?: number;
  /** Tokens an idle bucket holds. Default: `limit`. */
  burst?: number;
  /** Claims in flight at once. */
  maxInFlight?: number;
}

/** Limits of a group: an outside system such as a mail provider. */
export interface GroupLimits {
  /** Limits of accounts that have none of their own. */
  default?: Limits;
  /** Limits over all accounts together. */
  total?: Limits;
}

/** A bucket as the scripts keep it: milliseconds per token, and the burst in milliseconds. */
export interface EncodedLimits {
  intervalMs: number | undefined;
  depthMs: number | undefined;
  maxInFlight: number | undefined;
}

const MAX_TOKENS = 1_000_000_000;
const MAX_PER_MS = 366 * 86_400_000;

function invalid(reason: string): never {
  throw new LaneError('invalid_limits', reason);
}

function positive(value: unknown, name: string, max: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0 || value > max) {
    invalid(`${name} must be a number above 0 and at most ${max}; got ${String(value)}.`);
  }
  return value;
}

/** @throws LaneError `invalid_limits` */
export function checkLimits(limits: Limits): EncodedLimits {
  const { limit, perMs, burst, maxInFlight } = limits;
  if (limit === undefined && maxInFlight === undefined) {
    invalid('Limits need `limit` and `perMs`, or `maxInFlight`.');
  }
  if (
    maxInFlight !== undefined &&
    (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > MAX_TOKENS)
  ) {
    invalid(`maxInFlight must be a whole number from 1 to ${MAX_TOKENS}; got ${String(maxInFlight)}.`);
  }
  if (limit === undefined) {
    if (perMs !== undefined || burst !== undefined) {
      invalid('`perMs` and `burst` go with `limit`.');
    }
    return { intervalMs: undefined, depthMs: undefined, maxInFlight };
  }
  const rate = positive(limit, 'limit', MAX_TOKENS);
  const per = positive(perMs, 'perMs', MAX_PER_MS);
  const size = burst === undefined ? Math.max(rate, 1) : positive(burst, 'burst', MAX_TOKENS);
  if (size < 1) {
    invalid(`burst must be at least 1, or no job could ever run; got ${size}.`);
  }
  const intervalMs = per / rate;
  return { intervalMs, depthMs: size * intervalMs, maxInFlight };
}
