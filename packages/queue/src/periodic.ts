export interface PeriodicOptions {
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** Told of a run that failed; the next one comes at its time. */
  readonly onError: (error: unknown) => void;
}

/** Runs something every so often, one run at a time: one that takes longer than its interval leaves out the next. */
export class Periodic {
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: PeriodicOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), this.#options.everyMs);
    this.#timer.unref();
  }

  /** Resolves when the run that is at work has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #tick(): void {
    const { run, onError } = this.#options;
    this.#running ??= run()
      .then(() => undefined, onError)
      .finally(() => {
        this.#running = undefined;
      });
  }
}
