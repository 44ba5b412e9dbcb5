import type { RedisClient } from 'bullmq';
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type QueueLogger } from '../logging.js';
import { PLAIN_SCRIPTS } from '../scripts/commands.js';
import { bucketOf } from './durations.js';
import {
  COUNT_FIELDS,
  KEPT_SECONDS,
  minutesStem,
  PROCESSED_FIELD,
  WAITED_FIELD,
  type Count,
} from './minutes.js';

export interface RecorderOptions {
  /** On which a backend of ours has defined the scripts. */
  readonly client: () => Promise<RedisClient>;
  readonly prefix: string;
  readonly logger: QueueLogger;
  /** False while sending makes no sense: what is counted waits. Default: always sent. */
  readonly isConnected?: () => boolean;
}

const FLUSH_EVERY_MS = 1_000;
/** A flush that Redis has not answered by then does not hold up a close. */
const CLOSE_MS = 1_000;

/**
 * Counts what this process does to jobs and adds it to the shared minutes about once a second: a job costs two or three
 * additions in memory, whatever the load. What is waiting to be sent is a number for each queue and field, so it is
 * bounded. A process that dies loses at most its last second of statistics, and a flush whose answer is lost is not
 * sent again, since it may have been counted: figures may miss a little, they never count twice.
 */
export class StatisticsRecorder {
  readonly #options: RecorderOptions;
  #counted = new Map<string, Map<string, number>>();
  #timer: NodeJS.Timeout | undefined;
  readonly #sending = new Set<Promise<void>>();
  #isDraining = false;
  #isSendingSoon = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  count(queue: string, count: Count, amount = 1): void {
    this.#add(queue, COUNT_FIELDS[count], amount);
  }

  /** @param ms from when a job became due until it started. */
  waited(queue: string, ms: number): void {
    this.#add(queue, WAITED_FIELD + bucketOf(ms), 1);
  }

  /** @param ms how long a handler ran. */
  processed(queue: string, ms: number): void {
    this.#add(queue, PROCESSED_FIELD + bucketOf(ms), 1);
  }

  /** From now on nothing waits for a second: the connection is about to close. */
  drain(): void {
    this.#isDraining = true;
    this.#flush();
  }

  /** Sends what is left; leaves it after a second without an answer. */
  async close(): Promise<void> {
    this.drain();
    clearTimeout(this.#timer);
    const timer = new AbortController();
    const late = delay(CLOSE_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#allSent(), late]);
    timer.abort();
  }

  async #allSent(): Promise<void> {
    // What was counted in this very step is sent in the next one.
    await Promise.resolve();
    await Promise.all(this.#sending);
  }

  #add(queue: string, field: string, amount: number): void {
    let fields = this.#counted.get(queue);
    if (fields === undefined) this.#counted.set(queue, (fields = new Map()));
    fields.set(field, (fields.get(field) ?? 0) + amount);
    if (this.#isDraining) this.#flushSoon();
    else this.#arm();
  }

  /** Together with what else is counted in this step, before the connection is told to close. */
  #flushSoon(): void {
    if (this.#isSendingSoon) return;
    this.#isSendingSoon = true;
    queueMicrotask(() => {
      this.#isSendingSoon = false;
      this.#flush();
    });
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  #flush(): void {
    // One at a time: while Redis is away numbers grow, not requests.
    if (this.#counted.size === 0 || (this.#sending.size > 0 && !this.#isDraining)) return;
    if (this.#options.isConnected?.() === false) {
      if (!this.#isDraining) this.#arm();
      return;
    }
    const counted = this.#counted;
    this.#counted = new Map();
    const sending: Promise<void> = this.#send(counted)
      .catch((error: unknown) =>
        this.#options.logger.debug(describeError(error), 'a second of statistics was lost'),
      )
      .finally(() => {
        this.#sending.delete(sending);
        if (this.#counted.size > 0 && !this.#isDraining) this.#arm();
      });
    this.#sending.add(sending);
  }

  async #send(counted: ReadonlyMap<string, ReadonlyMap<string, number>>): Promise<void> {
    const args: (string | number)[] = [minutesStem(this.#options.prefix), KEPT_SECONDS];
    for (const [queue, fields] of counted) args.push(queue, fields.size, ...[...fields].flat());
    await (await this.#options.client()).runCommand(PLAIN_SCRIPTS.count.name, args);
  }
}
