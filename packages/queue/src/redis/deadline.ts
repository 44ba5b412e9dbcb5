import { UnavailableError } from '../errors.js';

/** A moment by which something must have answered, on the monotonic clock. */
export class Deadline {
  readonly #endsAtMs: number;
  readonly #totalMs: number;

  constructor(totalMs: number) {
    this.#totalMs = totalMs;
    this.#endsAtMs = performance.now() + totalMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  /** @throws UnavailableError when the promise has not settled in time. */
  async wait<T>(promise: Promise<T>, { mayHaveRun }: { mayHaveRun: boolean }): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new UnavailableError(`Redis did not answer within ${this.#totalMs} ms`, { mayHaveRun }));
      }, this.leftMs);
    });
    // Whichever loses must not be reported as unhandled.
    promise.catch(() => undefined);
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
