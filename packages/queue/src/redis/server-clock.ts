import type { Redis } from 'ioredis';

/** Of these the quickest round trip counts: a busy process or server makes single ones as long as it likes. */
const SAMPLES = 5;

/** Milliseconds since the epoch, with fractions, from the answer of `TIME`. */
export function readTime([seconds, micros]: readonly (string | number)[]): number {
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** Redis' clock as seen from here: its offset to our monotonic clock, measured anew on every connection. */
export class ServerClock {
  readonly #client: Redis;
  #offsetMs: number | undefined;
  #measuring: Promise<void> | undefined;

  constructor(client: Redis) {
    this.#client = client;
    client.on('close', () => {
      this.#offsetMs = undefined;
    });
  }

  /** The time of {@link nowMs} at once, where it is known. */
  get knownMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : this.#offsetMs + performance.now();
  }

  /** Milliseconds since the epoch on the server's clock, off by less than one round trip. */
  async nowMs(): Promise<number> {
    while (this.#offsetMs === undefined) {
      this.#measuring ??= this.#measure().finally(() => {
        this.#measuring = undefined;
      });
      await this.#measuring;
    }
    return this.#offsetMs + performance.now();
  }

  /** Measures again before the next use: the server's clock may have been set. */
  invalidate(): void {
    this.#offsetMs = undefined;
  }

  async #measure(): Promise<void> {
    let bestMs = Infinity;
    let offsetMs = 0;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const sentAt = performance.now();
      const timeMs = readTime(await this.#client.time());
      const tripMs = performance.now() - sentAt;
      if (tripMs >= bestMs) continue;
      bestMs = tripMs;
      offsetMs = timeMs - (sentAt + tripMs / 2);
    }
    this.#offsetMs = offsetMs;
  }
}
