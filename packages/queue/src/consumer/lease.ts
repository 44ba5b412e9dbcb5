/** Node fires a timer of more than 31 bits at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The right to work on a job, as long as its lock in Redis is renewed in time. It is lost when a renewal is refused
 * and when none was confirmed by its deadline (on our monotonic clock): nobody else may have the job before that.
 */
export class Lease {
  #isLost = false;
  #onLost: (() => void) | undefined;
  #deadlineMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param deadlineMs on the clock of `performance.now()`. */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    this.#watch();
  }

  /** Calls back when the lease is lost, at once when it already is. One listener: the attempt. */
  whenLost(listener: () => void): void {
    this.#onLost = listener;
    if (this.#isLost) listener();
  }

  /** Exact at this moment, even when the event loop was blocked past the deadline (A03). */
  get isHeld(): boolean {
    return !this.#isLost && performance.now() < this.#deadlineMs;
  }

  extend(deadlineMs: number): void {
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
  }

  lose(): void {
    clearTimeout(this.#timer);
    if (this.#isLost) return;
    this.#isLost = true;
    this.#onLost?.();
  }

  /** The attempt is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#onLost = undefined;
  }

  #watch(): void {
    const leftMs = this.#deadlineMs - performance.now();
    if (leftMs <= 0) {
      this.lose();
      return;
    }
    this.#timer = setTimeout(() => this.#watch(), Math.min(leftMs + 1, MAX_TIMER_MS));
    this.#timer.unref();
  }
}
