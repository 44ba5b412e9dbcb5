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
const SWEEP_PAGES = 50;

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
    const { backend, prefix, retentionMs } = this.#options;
    const client = await backend.client;
    let removed = 0;
    for (let swept = 0; swept < bucketCount && !this.#stopped; swept += 1) {
      const { bucketKey, idPrefix } = bucketAt(prefix, this.#nextBucket);
      this.#nextBucket = (this.#nextBucket + 1) % BUCKET_COUNT;
      let cursor = '0';
      for (let page = 0; page < SWEEP_PAGES; page += 1) {
        const args = [bucketKey, retentionMs, cursor, `${prefix}:`, idPrefix];
        const [next, count] = (await runScript(client, OWN_SCRIPTS.sweep, args)) as [string, number];
        removed += count;
        cursor = next;
        if (cursor === '0') break;
      }
    }
    return removed;
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
