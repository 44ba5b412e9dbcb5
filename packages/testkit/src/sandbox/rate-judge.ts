import type { RateLimit } from './protocol.js';

/** Delay that a request may pick up between its admission and its arrival, unless said otherwise. */
export const ARRIVAL_SLACK_MS = 500;

/** Absorbs rounding of the additions below, far below one request. */
const EPSILON = 1e-9;

interface Bucket {
  capacity: number;
  perMs: number;
  level: number;
}

/**
 * Counts the requests that break `N(T) <= burst + rate x (T + slack)` for any interval T ending at their
 * arrival. A leaking bucket decides this exactly without a history: with `level` falling at `rate` and
 * rising by one a request, level(t) is the maximum over all s <= t of N(s, t) - rate x (t - s), so the
 * bound holds in every interval exactly while level <= burst + rate x slack. A request that breaks it is
 * counted and left out of the level, which makes the count the fewest requests whose absence would have
 * kept the bound.
 *
 * After a change of limit, intervals after it are bounded by the new limit alone; intervals that reach back
 * before it by the larger burst and, from the change on, the larger rate: what was spent before stays spent.
 * One bucket for each, and a request has to fit all of them. A bucket that reaches back is dropped once it is
 * empty, since no interval from before can bind any more. So that requests under way are never accused,
 * raise a limit here first and lower it here last.
 */
export class RateJudge {
  violations = 0;
  #buckets: Bucket[] = [];
  #at = 0;
  readonly #slackMs: number;

  constructor(limit: RateLimit | null, slackMs = ARRIVAL_SLACK_MS) {
    this.#slackMs = slackMs;
    if (limit !== null) this.#buckets.push(emptyBucket(limit, slackMs));
  }

  setLimit(limit: RateLimit | null, nowMs: number): void {
    if (limit === null) {
      this.#buckets = [];
      return;
    }
    this.#leak(nowMs);
    const fresh = emptyBucket(limit, this.#slackMs);
    const spanning = this.#buckets
      .filter((bucket) => bucket.level > 0)
      .map((bucket) => ({
        level: bucket.level,
        capacity: Math.max(bucket.capacity, fresh.capacity),
        perMs: Math.max(bucket.perMs, fresh.perMs),
      }));
    // Only a limit that is changed over and over while requests come makes more: keep the tightest past.
    this.#buckets = [...spanning.slice(-MAX_SPANNING), fresh];
  }

  /** Records an arrival; false when it breaks the bound. */
  observe(nowMs: number): boolean {
    this.#leak(nowMs);
    const fits = this.#buckets.every((bucket) => bucket.level + 1 <= bucket.capacity + EPSILON);
    if (!fits) {
      this.violations += 1;
      return false;
    }
    for (const bucket of this.#buckets) bucket.level += 1;
    return true;
  }

  #leak(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#at);
    this.#at = Math.max(this.#at, nowMs);
    for (const bucket of this.#buckets) {
      bucket.level = Math.max(0, bucket.level - bucket.perMs * elapsedMs);
    }
    if (this.#buckets.length > 1) {
      const newest = this.#buckets.at(-1);
      this.#buckets = this.#buckets.filter((bucket) => bucket === newest || bucket.level > 0);
    }
  }
}

const MAX_SPANNING = 8;

function emptyBucket(limit: RateLimit, slackMs: number): Bucket {
  const perMs = limit.limit / limit.perMs;
  return { capacity: limit.burst + perMs * slackMs, perMs, level: 0 };
}
