import type { RateLimit } from './protocol.js';

/** Requests made and requests allowed over the time in which an account had work. */
export interface Allowance {
  made: number;
  allowed: number;
}

/**
 * Measures how much of its limit an account used while it had work. It had work up to the arrival of every
 * reference seen for the first time: until then that job was waiting. What follows the last new reference
 * are retries that wait out their backoff, so the measure ends there.
 *
 * `allowed` is what a caller would have sent that takes every token at once: the burst, then the rate. A
 * Retry-After of this platform closes the gate; meanwhile tokens gather up to the burst.
 */
export class AllowanceMeter {
  #limit: RateLimit;
  #at: number | undefined;
  #closure: { from: number; until: number } | undefined;
  #made = 0;
  #allowed = 0;
  #measured: Allowance = { made: 0, allowed: 0 };

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  setLimit(limit: RateLimit, nowMs: number): void {
    this.#advance(nowMs);
    this.#limit = limit;
  }

  observe(nowMs: number, isNewReference: boolean): void {
    if (this.#at === undefined) {
      this.#at = nowMs;
      this.#allowed = this.#limit.burst;
    }
    this.#advance(nowMs);
    this.#made += 1;
    if (isNewReference) this.#measured = { made: this.#made, allowed: this.#allowed };
  }

  /** The caller was told to wait. */
  close(nowMs: number, untilMs: number): void {
    this.#advance(nowMs);
    this.#closure = {
      from: this.#closure?.from ?? nowMs,
      until: Math.max(this.#closure?.until ?? 0, untilMs),
    };
  }

  /** Undefined for an account whose work hardly outlasted its burst, which says nothing about the rate. */
  measure(): Allowance | undefined {
    return this.#measured.made > 2 * this.#limit.burst ? this.#measured : undefined;
  }

  #advance(nowMs: number): void {
    if (this.#at === undefined) return;
    const perMs = this.#limit.limit / this.#limit.perMs;
    if (this.#closure !== undefined) {
      if (nowMs < this.#closure.until) return;
      const gathered = perMs * (this.#closure.until - this.#closure.from);
      this.#allowed += Math.min(this.#limit.burst, gathered);
      this.#at = this.#closure.until;
      this.#closure = undefined;
    }
    this.#allowed += perMs * Math.max(0, nowMs - this.#at);
    this.#at = Math.max(this.#at, nowMs);
  }
}
