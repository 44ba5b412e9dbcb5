interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that passes only when it is told to. Milliseconds since the epoch. */
export class FakeClock {
  #nowMs: number;
  readonly #timers = new Set<Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Lets time pass and runs what falls due meanwhile, in its order and at its time. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`time cannot pass by ${ms} ms`);
    const untilMs = this.#nowMs + ms;
    for (let next = this.#firstUntil(untilMs); next !== undefined; next = this.#firstUntil(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** Runs something when so much time has passed. Returns what calls it off. */
  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #firstUntil(untilMs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs <= untilMs && (first === undefined || timer.atMs < first.atMs)) first = timer;
    }
    return first;
  }
}
