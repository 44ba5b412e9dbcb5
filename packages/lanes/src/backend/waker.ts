/** Node's timers take no longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** When something becomes due next (0 = never, or nothing to this process), and the time, both on the server's clock. */
export type WakeReply = readonly [due: number, now: number];

/**
 * Wakes a worker exactly when something becomes due.
 *
 * BullMQ blocks in BZPOPMIN with a time-out, which Redis serves about every 100 ms. So every
 * process that learns of a due time sets a timer. The first to be there wakes one worker and is
 * told what comes next; the others find that done, or a job would wake the whole fleet.
 */
export class Waker {
  private timer: NodeJS.Timeout | undefined;
  /** On the server's clock; the earliest is enough. */
  private due = Infinity;
  /** Local clock minus server clock, in ms. */
  private skewMs = 0;
  private stopped = false;

  /** @param wake to be called when something is due, with its time. */
  constructor(private readonly wake: (due: number) => Promise<WakeReply>) {}

  /**
   * @param askedAt the local time before the server told its own: taken for the same time, so that a reply that is heard
   *   late makes a timer early, which the server tells, and not late.
   */
  hear([due, now]: WakeReply, askedAt: number): void {
    this.skewMs = askedAt - now;
    if (due > now) this.schedule(due);
  }

  /** Whether that time is still to come. */
  isAhead(due: number): boolean {
    return this.delayMs(due) >= 1;
  }

  /** @param due on the server's clock. */
  schedule(due: number): void {
    if (this.stopped || due > this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.fire(), Math.min(Math.max(this.delayMs(due), 1), MAX_TIMER_MS));
    this.timer.unref();
  }

  private delayMs(due: number): number {
    return due + this.skewMs - Date.now();
  }

  private fire(): void {
    const { due } = this;
    this.due = Infinity;
    const askedAt = Date.now();
    // A lost call is made good by the next look of any idle worker.
    this.wake(due).then(
      (reply) => this.hear(reply, askedAt),
      () => undefined,
    );
  }

  /** @returns when the next worker was to be woken, on the server's clock; Infinity for never. */
  stop(): number {
    const { due } = this;
    this.stopped = true;
    clearTimeout(this.timer);
    return due;
  }
}
