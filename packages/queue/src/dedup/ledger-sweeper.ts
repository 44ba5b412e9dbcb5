import { describeError, type QueueLogger } from '../logging.js';
import { Periodic } from '../periodic.js';
import type { DedupMemory } from './dedup-memory.js';

/** What is swept of the ledger of effects; the ledger itself fits. */
export interface SweptLedger {
  sweep(request: {
    readonly retentionMs: number;
    readonly limit: number;
    readonly stillNeeded: (jobIds: readonly string[]) => Promise<Iterable<string>>;
  }): Promise<{ readonly more: boolean }>;
}

export interface LedgerSweeperOptions {
  readonly ledger: SweptLedger;
  readonly memory: DedupMemory;
  readonly retentionMs: number;
  readonly logger: QueueLogger;
}

const SWEEP_EVERY_MS = 60_000;
const SWEEP_JOBS = 500;

/**
 * Forgets effects of jobs that nobody can run again: neither a job, nor a dead letter, nor the dedup memory knows them.
 * The dedup memory outlives the others, so it alone is asked.
 */
export class LedgerSweeper {
  readonly #options: LedgerSweeperOptions;
  readonly #periodic: Periodic;

  constructor(options: LedgerSweeperOptions) {
    this.#options = options;
    this.#periodic = new Periodic({
      everyMs: SWEEP_EVERY_MS,
      run: async () => this.sweep(),
      onError: (error) => options.logger.warn(describeError(error), 'the ledger of effects was not swept'),
    });
  }

  start(): void {
    this.#periodic.start();
  }

  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** One bounded step. */
  async sweep(): Promise<void> {
    const { ledger, memory, retentionMs } = this.#options;
    const stillNeeded = async (ids: readonly string[]) => memory.known(ids);
    await ledger.sweep({ retentionMs, limit: SWEEP_JOBS, stillNeeded });
  }
}
