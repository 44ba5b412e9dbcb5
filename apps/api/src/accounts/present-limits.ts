import type { GateView } from '@fairlane/lanes';
import type { z } from 'zod';
import { MAX_TOKENS_PER_SECOND } from '../limits.js';
import type { limitsView } from './schemas.js';

export type LimitsView = z.output<typeof limitsView>;

/** A second, a minute, an hour, a day. */
const naturalUnitsMs = [1_000, 60_000, 3_600_000, 86_400_000];

/**
 * A gate keeps milliseconds per token. People set "60 a minute" and want to read it again: where the burst
 * tokens come back in a natural unit, that was it; else the smallest unit with a whole number of tokens.
 */
export function presentLimits({ intervalMs, burst, maxInFlight }: GateView['limits']): LimitsView {
  if (intervalMs === null) return { limit: null, perMs: null, burst: null, maxInFlight };
  const size = burst === null ? null : round(burst);
  const refillMs = size === null ? 0 : round(size * intervalMs);
  if (size !== null && naturalUnitsMs.includes(refillMs)) {
    return { limit: size, perMs: refillMs, burst: size, maxInFlight };
  }
  const perMs = naturalUnitsMs.find((unitMs) => {
    const limit = unitMs / intervalMs;
    // What is shown can be set again, and no unit is shorter than a second.
    return isWhole(limit) && Math.round(limit) >= 1 && limit <= MAX_TOKENS_PER_SECOND;
  });
  return perMs === undefined
    ? { limit: 1, perMs: round(intervalMs), burst: size, maxInFlight }
    : { limit: round(perMs / intervalMs), perMs, burst: size, maxInFlight };
}

export const UNLIMITED: LimitsView = { limit: null, perMs: null, burst: null, maxInFlight: null };

/** Takes away what floating point adds: 60.00000000000001 tokens are 60. */
function round(value: number): number {
  return isWhole(value) ? Math.round(value) : Number(value.toPrecision(12));
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-9 * Math.max(1, Math.abs(value));
}
