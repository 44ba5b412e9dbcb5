import type { Redis } from 'ioredis';
import { valuesOf } from '../redis/replies.js';
import { figuresOf, type Figures } from './figures.js';
import { addUp, MINUTE_MS, minutesStem, readMinute, type Sample, type Tally } from './minutes.js';

export interface MinuteFigures extends Figures {
  /** When the minute began, ms since the epoch. */
  readonly at: number;
  /** The last look at the queue in this minute; null when nobody looked. */
  readonly sample: Sample | null;
}

/** Minutes that are shown at most: the hour before, and the one that runs. */
const SHOWN_MINUTES = 61;

/**
 * Reads the shared minutes. A minute that is over changes no more, since all processes count into the minute of the
 * server's clock: it is read once and kept, at most 61 of them a queue.
 */
export class MinuteReader {
  readonly #client: Redis;
  readonly #stem: string;
  readonly #past = new Map<string, Map<number, Tally>>();

  constructor(client: Redis, prefix: string) {
    this.#client = client;
    this.#stem = minutesStem(prefix);
  }

  /** @param nowMs on the server's clock. */
  async figures(queue: string, nowMs: number): Promise<{ readonly minute: Figures; readonly hour: Figures }> {
    const minute = Math.floor(nowMs / MINUTE_MS);
    // Of the minute in which the time began, the part that lies in it counts: nothing finer is kept.
    const share = 1 - (nowMs - minute * MINUTE_MS) / MINUTE_MS;
    const tallies = await this.#read(queue, minute - 60, minute);
    const window = (length: number): Tally => {
      const within = tallies.slice(-length - 1);
      return addUp(within.map((tally, at) => [tally, at === 0 ? share : 1]));
    };
    return { minute: figuresOf(window(1), 60), hour: figuresOf(window(60), 3_600) };
  }

  /** @param nowMs on the server's clock. */
  async series(queue: string, count: number, nowMs: number): Promise<MinuteFigures[]> {
    const last = Math.floor(nowMs / MINUTE_MS);
    const first = last - Math.min(Math.max(1, count), SHOWN_MINUTES) + 1;
    const tallies = await this.#read(queue, first, last);
    return tallies.map((tally, index) => {
      const at = (first + index) * MINUTE_MS;
      const seconds = Math.max(1, Math.min(60, (nowMs - at) / 1_000));
      return { at, ...figuresOf(tally, seconds), sample: tally.sample };
    });
  }

  async #read(queue: string, first: number, last: number): Promise<Tally[]> {
    const past = this.#past.get(queue) ?? new Map<number, Tally>();
    this.#past.set(queue, past);
    for (const minute of past.keys()) if (minute < last - SHOWN_MINUTES) past.delete(minute);
    const minutes = Array.from({ length: last - first + 1 }, (_value, at) => first + at);
    const missing = minutes.filter((minute) => !past.has(minute));
    const pipeline = this.#client.pipeline();
    for (const minute of missing) pipeline.hgetall(`${this.#stem}${queue}:${minute}`);
    const hashes = valuesOf(await pipeline.exec()) as Record<string, string>[];
    const read = new Map<number, Tally>();
    for (const [at, minute] of missing.entries()) {
      const tally = readMinute(hashes[at] as Record<string, string>);
      read.set(minute, tally);
      // Our measure of the server's clock may be a little ahead.
      if (minute < last - 1) past.set(minute, tally);
    }
    return minutes.map((minute) => past.get(minute) ?? (read.get(minute) as Tally));
  }
}
