export interface SlotRange {
  readonly min: number;
  readonly max: number;
}

/** With so many slots in use half of them would do. */
const halfOf = (slots: number): number => Math.ceil(slots / 2);

/**
 * How many jobs of a queue run at once, between two bounds. A job that takes the last free slot shows that there was
 * work for all of them: the slots double at once, so that no eligible job waits for a timer. They halve only after
 * half of them have been enough for a while, so that a pause between two bursts costs nothing.
 */
export class SlotCount {
  readonly #range: SlotRange;
  readonly #idleMs: number;
  #count: number;
  #neededAtMs: number;

  /** @param idleMs how long half must have been enough. */
  constructor(range: SlotRange, idleMs: number, nowMs: number) {
    // A queue with no slot at all would never see that there is work.
    this.#range = { min: Math.max(1, range.min), max: Math.max(1, range.max) };
    this.#idleMs = idleMs;
    this.#count = this.#range.min;
    this.#neededAtMs = nowMs;
  }

  get count(): number {
    return this.#count;
  }

  get max(): number {
    return this.#range.max;
  }

  /** @param used slots that have a job now. Called whenever a job is taken, and now and then. */
  observe(used: number, nowMs: number): void {
    const { min, max } = this.#range;
    if (used > halfOf(this.#count)) this.#neededAtMs = nowMs;
    if (used >= this.#count) {
      this.#neededAtMs = nowMs;
      this.#count = Math.min(max, this.#count * 2);
    } else if (nowMs - this.#neededAtMs >= this.#idleMs) {
      this.#neededAtMs = nowMs;
      this.#count = Math.max(min, halfOf(this.#count));
    }
  }
}
