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
  wait<T>(promise: Promise<T>, { mayHaveRun }: { mayHaveRun: boolean }): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new UnavailableError(`Redis did not answer within ${this.#totalMs} ms`, { mayHaveRun }));
      }, this.leftMs);
      // Not by `finally`, which makes two promises more of each call.
      const ended =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          clearTimeout(timer);
          settle(value);
        };
      promise.then(ended(resolve), ended(reject));
    });
  }
}
