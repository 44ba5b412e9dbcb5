import { describeError, type QueueLogger } from '../logging.js';
import { Periodic } from '../periodic.js';
import { BUCKET_COUNT, bucketAt } from './dedup-key.js';
import type { DedupMemory, SweepPage } from './dedup-memory.js';

export interface SweeperOptions {
  readonly memory: DedupMemory;
  readonly prefix: string;
  readonly retentionMs: number;
  readonly logger: QueueLogger;
}

const SWEEP_EVERY_MS = 30_000;
/** A full turn over all buckets takes an eighth of a day; several workers only shorten it. */
const SWEEP_BUCKETS = 48;
/** Buckets swept in one round trip. */
const SWEEP_PIPELINE = 256;
/** Pages read of one bucket; more than that waits for the next turn. */
const SWEEP_ROUNDS = 50;

/** Drops expired entries of the dedup memory, a bounded amount at a time. Any number may run. */
export class DedupSweeper {
  readonly #options: SweeperOptions;
  readonly #periodic: Periodic;
  #nextBucket = Math.floor(Math.random() * BUCKET_COUNT);
  #stopped = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#periodic = new Periodic({
      everyMs: SWEEP_EVERY_MS,
      run: async () => this.sweep(SWEEP_BUCKETS),
      onError: (error) => options.logger.warn(describeError(error), 'the dedup memory was not swept'),
    });
  }

  start(): void {
    this.#periodic.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#periodic.stop();
  }

  /** Sweeps the next buckets. @returns number of entries dropped. */
  async sweep(bucketCount: number): Promise<number> {
    let removed = 0;
    for (let swept = 0; swept < bucketCount && !this.#stopped; swept += SWEEP_PIPELINE) {
      const count = Math.min(SWEEP_PIPELINE, bucketCount - swept);
      let pages: SweepPage[] = Array.from({ length: count }, (_value, at) => ({
        ...bucketAt(this.#options.prefix, (this.#nextBucket + at) % BUCKET_COUNT),
        cursor: '0',
      }));
      this.#nextBucket = (this.#nextBucket + count) % BUCKET_COUNT;
      for (let round = 0; round < SWEEP_ROUNDS && pages.length > 0; round += 1) {
        const replies = await this.#options.memory.sweep(pages, this.#options.retentionMs);
        removed += replies.reduce((sum, [, dropped]) => sum + dropped, 0);
        // What is left are large buckets.
        pages = pages.flatMap((page, at) => {
          const [cursor = '0'] = replies[at] ?? [];
          return cursor === '0' ? [] : [{ ...page, cursor }];
        });
      }
    }
    return removed;
  }
}
