/** Node's timers take no longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Wakes a worker exactly when something becomes due.
 *
 * BullMQ blocks in BZPOPMIN with a time-out, which Redis serves about every 100 ms. So the
 * process that learns of a due time sets a timer and writes the marker itself. A process that
 * dies takes its timer along; the others look for themselves within a second.
 */
export class Waker {
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  /** Local clock minus server clock, in ms. */
  private skewMs = 0;
  private stopped = false;

  constructor(private readonly wake: () => Promise<void>) {}

  /** The local time of a server time. */
  localTime(serverMs: number): number {
    return serverMs + this.skewMs;
  }

  /** @param next when something is due, and `now`, both on the server's clock; 0 = not known */
  schedule(next: number, now: number): void {
    if (now > 0) {
      this.skewMs = Date.now() - now;
    }
    if (next <= 0 || this.stopped) {
      return;
    }
    const dueAt = this.localTime(next);
    if (dueAt >= this.dueAt && this.dueAt > Date.now()) {
      return;
    }
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    const timer = setTimeout(() => this.fire(), Math.min(Math.max(dueAt - Date.now(), 0), MAX_TIMER_MS));
    timer.unref();
    this.timer = timer;
  }

  private fire(): void {
    this.dueAt = Infinity;
    this.timer = undefined;
    // A lost write is made good by the next look of any idle worker.
    this.wake().catch(() => undefined);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}
