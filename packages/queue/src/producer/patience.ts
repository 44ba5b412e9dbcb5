import { setTimeout as delay } from 'node:timers/promises';

export interface PatienceOptions {
  /** How long a stream waits for room while nothing of what was refused gets in. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Flow control of one stream of jobs, however many calls it takes to hand them in. It waits while the queue drains,
 * however slowly, and gives up when nothing moves. Given up once, it waits no more: one account that is full and paused
 * would stop the jobs of all others at every turn.
 */
export class Patience {
  readonly #waitMs: number;
  readonly #signal: AbortSignal | undefined;
  #stuckSinceMs: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #isOver = false;

  constructor({ waitMs, signal }: PatienceOptions) {
    this.#waitMs = waitMs;
    this.#signal = signal;
  }

  /** Waits a moment, longer each time nothing has moved. False: the refusal stands. */
  async wait(): Promise<boolean> {
    this.#stuckSinceMs ??= performance.now();
    const leftMs = this.#stuckSinceMs + this.#waitMs - performance.now();
    if (leftMs <= 0 || this.#signal?.aborted === true) this.#isOver = true;
    if (this.#isOver) return false;
    const pauseMs = Math.min(this.#pauseMs, leftMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    await delay(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined);
    return this.#signal?.aborted !== true;
  }

  /** Something that had been refused got in. */
  moved(): void {
    this.#stuckSinceMs = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
  }
}
