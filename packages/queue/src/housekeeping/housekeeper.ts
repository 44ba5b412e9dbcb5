import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { BUCKET_COUNT, bucketAt } from '../dedup/dedup-key.js';
import { describeError, type QueueLogger } from '../logging.js';
import { OWN_SCRIPTS } from '../scripts/commands.js';
import { runScript } from '../scripts/run-script.js';

export interface KeepCompleted {
  readonly ageMs: number;
  readonly count: number;
}

export interface HousekeeperOptions {
  /** The backend of any queue: its connection is used. */
  readonly backend: FairlaneBackend;
  readonly prefix: string;
  readonly queues: readonly string[];
  readonly keepCompleted: KeepCompleted;
  readonly retentionMs: number;
  readonly logger: QueueLogger;
}

const TRIM_EVERY_MS = 5_000;
const TRIM_BATCH = 500;
/** Per queue and round: trims up to 5,000 jobs a second. */
const TRIM_BATCHES = 50;
const SWEEP_EVERY_MS = 30_000;
/** A full turn over all buckets takes an eighth of a day; several workers only shorten it. */
const SWEEP_BUCKETS = 48;
/** Buckets swept in one round trip. */
const SWEEP_PIPELINE = 256;
/** Pages read of one bucket; more than that waits for the next turn. */
const SWEEP_ROUNDS = 50;

interface Page {
  readonly bucketKey: string;
  readonly idPrefix: string;
  readonly cursor: string;
}

/** Trims completed jobs and drops expired dedup entries, a bounded amount at a time. Any number may run. */
export class Housekeeper {
  readonly #options: HousekeeperOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  #nextBucket = Math.floor(Math.random() * BUCKET_COUNT);
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: HousekeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#every(TRIM_EVERY_MS, async () => {
      for (const queue of this.#options.queues) await this.trim(queue);
    });
    this.#every(SWEEP_EVERY_MS, () => this.sweep(SWEEP_BUCKETS));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#running;
  }

  /** @returns number of jobs removed. */
  async trim(queue: string): Promise<number> {
    const { backend, prefix, keepCompleted } = this.#options;
    const queueKey = `${prefix}:${queue}:`;
    const client = await backend.client;
    let removed = 0;
    for (let batch = 0; batch < TRIM_BATCHES && !this.#stopped; batch += 1) {
      const { ageMs, count } = keepCompleted;
      const args = [`${queueKey}completed`, queueKey, ageMs, count, TRIM_BATCH];
      const trimmed = Number(await runScript(client, OWN_SCRIPTS.trim, args));
      removed += trimmed;
      if (trimmed < TRIM_BATCH) break;
    }
    return removed;
  }

  /** Sweeps the next buckets. @returns number of entries dropped. */
  async sweep(bucketCount: number): Promise<number> {
    let removed = 0;
    for (let swept = 0; swept < bucketCount && !this.#stopped; swept += SWEEP_PIPELINE) {
      const count = Math.min(SWEEP_PIPELINE, bucketCount - swept);
      let pages: Page[] = Array.from({ length: count }, (_value, at) => ({
        ...bucketAt(this.#options.prefix, (this.#nextBucket + at) % BUCKET_COUNT),
        cursor: '0',
      }));
      this.#nextBucket = (this.#nextBucket + count) % BUCKET_COUNT;
      for (let round = 0; round < SWEEP_ROUNDS && pages.length > 0; round += 1) {
        const result = await this.#sweepPages(pages);
        removed += result.removed;
        pages = result.left;
      }
    }
    return removed;
  }

  /** One page of each bucket in one round trip; what is left are large buckets. */
  async #sweepPages(pages: readonly Page[]): Promise<{ removed: number; left: Page[] }> {
    const { backend, prefix, retentionMs } = this.#options;
    const pipeline = (await backend.client).pipeline();
    for (const { bucketKey, idPrefix, cursor } of pages) {
      pipeline.runCommand(OWN_SCRIPTS.sweep.name, [bucketKey, retentionMs, cursor, `${prefix}:`, idPrefix]);
    }
    let removed = 0;
    const left: Page[] = [];
    for (const [at, [error, reply]] of ((await pipeline.exec()) ?? []).entries()) {
      if (error !== null) throw error;
      const [cursor, count] = reply as [string, number];
      removed += count;
      if (cursor !== '0') left.push({ ...(pages[at] as Page), cursor });
    }
    return { removed, left };
  }

  #every(intervalMs: number, work: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      this.#running = this.#running
        .then(work)
        .then(() => undefined)
        .catch((error: unknown) => this.#options.logger.warn(describeError(error), 'housekeeping failed'));
    }, intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }
}
