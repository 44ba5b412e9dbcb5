import type { JobImplementation } from '@fairlane/sdk';
import { createTestJob, type TestJob } from '@fairlane/sdk/testing';
import { crashingJob } from './crashing-job.js';
import { DRAW, type ContractJob, type Harness, type Seen } from './harness.js';
import { Waits } from './waits.js';

/** `@fairlane/sdk/testing`, as a product's tests use it. */
export const memoryHarness: Harness = {
  name: 'the driver of tests',

  async start(implementation, payload) {
    return new MemoryJob(implementation, payload);
  },

  async runCrashed(crashes) {
    const seen: Seen[] = [];
    for (const { payload, at } of crashes) {
      const job = createTestJob(crashingJob, payload as never).crashAt(at);
      await job.run();
      seen.push(look(job));
    }
    return seen;
  },
};

class MemoryJob implements ContractJob {
  readonly #job: TestJob;
  readonly #waits: Waits;
  #running: Promise<unknown> | undefined;

  constructor(implementation: JobImplementation, payload: unknown) {
    this.#waits = new Waits(() => this.#job.clock.nowMs);
    this.#job = createTestJob(this.#waits.around(implementation), payload, { random: () => DRAW });
  }

  get key(): string {
    return this.#job.info.key;
  }

  get waitsMs(): readonly number[] {
    return this.#waits.ms;
  }

  get elapsedMs(): number {
    return this.#waits.elapsedMs;
  }

  async untilEnd(): Promise<Seen> {
    await this.#running;
    this.#running = undefined;
    await this.#job.run();
    return look(this.#job);
  }

  async untilState(state: Seen['state']): Promise<Seen> {
    while (this.#job.state !== state) {
      this.#running ??= this.#job.runAttempt().finally(() => (this.#running = undefined));
      if (state === 'active') await turns();
      else await this.#running;
    }
    return look(this.#job);
  }

  async letTimePass(ms: number): Promise<void> {
    await turns();
    this.#job.clock.advance(ms);
    await turns();
  }

  async cancel(): Promise<void> {
    this.#job.cancel();
  }

  async replay(): Promise<boolean> {
    try {
      this.#job.replay();
      return true;
    } catch {
      return false;
    }
  }

  async resolve(...verdict: Parameters<TestJob['resolveEffect']>): Promise<void> {
    this.#job.resolveEffect(...verdict);
  }
}

/** Lets a handler go as far as it gets without time. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

function look({ state, result, attempts, deadCode, lastError, effects }: TestJob): Seen {
  return {
    state,
    result,
    attempts,
    code: deadCode ?? lastError?.code,
    errorClass: lastError?.class,
    message: lastError?.reason,
    effects: Object.fromEntries(
      Object.entries(effects).map(([name, effect]) => [
        name,
        effect.state === 'open' ? 'not_applied' : effect.state,
      ]),
    ),
  };
}
