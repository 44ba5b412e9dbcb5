import type { Backends } from '../backend/open-backends.js';
import type { RedisSessions } from '../redis/redis-session.js';
import { countDead, COUNTED_AT_ONCE, type DeadCount } from './count-dead-letters.js';
import { readDeadRows, type DeadFilter } from './dead-rows.js';

/** A count is an answer for so many times as long as it took, so that it is a small part of what Redis does. */
const KEPT_FACTOR = 10;
const MIN_KEPT_MS = 2_000;
/** Filters whose counts are kept. */
const MAX_KEPT = 100;

interface Kept {
  readonly count: Promise<DeadCount>;
  /** On the monotonic clock; undefined while it is being counted. */
  untilMs?: number;
}

/**
 * How many dead letters there are by code. A count looks at all that match, so whoever asks for the same meanwhile or
 * soon after shares it, and one at a time is made.
 */
export class DeadCodes {
  readonly #sessions: RedisSessions;
  readonly #backends: Backends;
  readonly #kept = new Map<string, Kept>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(sessions: RedisSessions, backends: Backends) {
    this.#sessions = sessions;
    this.#backends = backends;
  }

  async count(filter: DeadFilter): Promise<DeadCount> {
    const { account, queue, name, tag, code, since, until } = filter;
    const key = JSON.stringify([account, queue, name, tag, code, since, until]);
    const known = this.#kept.get(key);
    if (known !== undefined && (known.untilMs === undefined || performance.now() < known.untilMs)) {
      return known.count;
    }
    const kept: Kept = { count: this.#inTurn(async () => this.#count(filter, kept)) };
    this.#keep(key, kept);
    return kept.count;
  }

  async #count(filter: DeadFilter, kept: Kept): Promise<DeadCount> {
    const startedAtMs = performance.now();
    const backends = this.#backends.queues.map(this.#backends.backendOf);
    const count = await countDead(async (cursor) =>
      this.#sessions.run(async () => {
        const { rows, ...rest } = await readDeadRows(backends, { filter, limit: COUNTED_AT_ONCE, cursor });
        return { letters: rows, ...rest };
      }),
    );
    const tookMs = performance.now() - startedAtMs;
    kept.untilMs = performance.now() + Math.max(MIN_KEPT_MS, KEPT_FACTOR * tookMs);
    return count;
  }

  async #inTurn<T>(count: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(count);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** A count that failed is no answer to the next who asks. */
  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    this.#kept.set(key, kept);
    kept.count.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
  }
}
