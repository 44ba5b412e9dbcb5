import { retryAfter } from '@fairlane/runtime';
import { Problem } from './problems.js';

export interface SlotsOptions {
  /** How many hold one at once. */
  readonly count: number;
  /** How many may wait for one; those that come on top are turned away at once. */
  readonly maxWaiting: number;
  readonly waitMs: number;
}

/** Bounds how many requests do at once what takes much memory. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a slot. @returns gives it back; may be called more than once.
   *
   * @throws Problem `unavailable` when none comes free in time.
   */
  async take(): Promise<() => void> {
    const { count, maxWaiting } = this.#options;
    if (this.#taken < count) this.#taken += 1;
    else if (this.#waiting.size < maxWaiting) await this.#handedOver();
    else throw busy();
    let held = true;
    return () => {
      if (held) this.#giveBack();
      held = false;
    };
  }

  /** The slot of whoever is done goes to the one who waits longest, so nobody overtakes. */
  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  async #handedOver(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const take = () => {
        clearTimeout(timer);
        this.#waiting.delete(take);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(take);
        reject(busy());
      }, this.#options.waitMs);
      this.#waiting.add(take);
    });
  }
}

function busy(): Problem {
  const detail = 'As many large bodies as may are being received: send it again in a moment.';
  return new Problem('unavailable', { detail, headers: retryAfter(1_000) });
}
