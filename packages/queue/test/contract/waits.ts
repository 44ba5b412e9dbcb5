import type { JobImplementation } from '@fairlane/sdk';

/** Measures the time between the starts of a job. */
export class Waits {
  readonly #nowMs: () => number;
  #startedAtMs: number | undefined;
  #endedAtMs: number | undefined;
  readonly ms: number[] = [];
  /** From the first start to the last one. */
  elapsedMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The implementation, its starts and ends noted. */
  around(implementation: JobImplementation): JobImplementation {
    return {
      ...implementation,
      run: async (payload, context) => {
        const nowMs = this.#nowMs();
        if (this.#endedAtMs !== undefined) this.ms.push(nowMs - this.#endedAtMs);
        this.#startedAtMs ??= nowMs;
        this.elapsedMs = nowMs - this.#startedAtMs;
        try {
          return await implementation.run(payload, context);
        } finally {
          this.#endedAtMs = this.#nowMs();
        }
      },
    };
  }
}
