import type { JobImplementation } from '@fairlane/sdk';

/** Measures the time between the starts of a job. */
export class Waits {
  readonly #nowMs: () => number;
  #endedAtMs: number | undefined;
  readonly ms: number[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The implementation, its starts and ends noted. */
  around(implementation: JobImplementation): JobImplementation {
    return {
      ...implementation,
      run: async (payload, context) => {
        if (this.#endedAtMs !== undefined) this.ms.push(this.#nowMs() - this.#endedAtMs);
        try {
          return await implementation.run(payload, context);
        } finally {
          this.#endedAtMs = this.#nowMs();
        }
      },
    };
  }
}
