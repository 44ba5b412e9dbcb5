/** Node's timers take no longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Wakes a worker exactly when something becomes due.
 *
 * BullMQ blocks in BZPOPMIN with a time-out, which Redis serves about every 100 ms. So the
 * process that learns of a due time sets a timer and writes the marker itself. A process that
 * dies takes its timers along; the others look for themselves within a second.
 */
export class Waker {
  /** By the server's time that they are set to. */
  private readonly timers = new Map<number, NodeJS.Timeout>();
  /** Local clock minus server clock, in ms. */
  private skewMs = 0;
  private stopped = false;

  constructor(private readonly wake: () => Promise<void>) {}

  /** @param now on the server's clock, just now. */
  setServerTime(now: number): void {
    this.skewMs = Date.now() - now;
  }

  /**
   * @param due when something becomes due, on the server's clock.
   * @returns false when it is due already.
   */
  schedule(due: number): boolean {
    const delayMs = due + this.skewMs - Date.now();
    if (delayMs < 1) return false;
    if (this.stopped || this.timers.has(due)) return true;
    const timer = setTimeout(() => this.fire(due), Math.min(delayMs, MAX_TIMER_MS));
    timer.unref();
    this.timers.set(due, timer);
    return true;
  }

  private fire(due: number): void {
    this.timers.delete(due);
    // A lost write is made good by the next look of any idle worker.
    this.wake().catch(() => undefined);
  }

  /** @returns when the next worker was to be woken, on the server's clock; Infinity for never. */
  stop(): number {
    this.stopped = true;
    const next = Math.min(...this.timers.keys());
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    return next;
  }
}
