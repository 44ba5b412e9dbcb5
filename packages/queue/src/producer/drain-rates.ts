import type { Redis } from 'ioredis';
import type { RedisSessions } from '../redis/redis-session.js';
import { COUNT_FIELDS, MINUTE_MS, minutesStem } from '../statistics/minutes.js';

/** When to come back to a full queue of which nobody knows how fast it drains. */
export const UNKNOWN_DRAIN_MS = 5_000;
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** By the time this share of a bound has drained there is room for more than the next one to ask. */
const ROOM_SHARE = 0.01;
/** Many are refused in a second; one look serves them. */
const KEPT_MS = 1_000;

const ENDS = [COUNT_FIELDS.completed, COUNT_FIELDS.dead, COUNT_FIELDS.cancelled];

interface Look {
  readonly atMs: number;
  readonly perSecond: Promise<number | undefined>;
}

/** How fast queues drain: the jobs that came to an end, as all workers have counted them into shared minutes. */
export class DrainRates {
  readonly #client: Redis;
  readonly #sessions: RedisSessions;
  readonly #stem: string;
  readonly #looks = new Map<string, Look>();

  constructor(client: Redis, sessions: RedisSessions, prefix: string) {
    this.#client = client;
    this.#sessions = sessions;
    this.#stem = minutesStem(prefix);
  }

  /** Jobs a second over the last minute; undefined where Redis does not tell. */
  perSecond(queue: string): Promise<number | undefined> {
    const atMs = performance.now();
    const last = this.#looks.get(queue);
    if (last !== undefined && atMs - last.atMs < KEPT_MS) return last.perSecond;
    const perSecond = this.#sessions.run(({ nowMs }) => this.#look(queue, nowMs)).catch(() => undefined);
    this.#looks.set(queue, { atMs, perSecond });
    return perSecond;
  }

  async #look(queue: string, nowMs: number): Promise<number> {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const key = (at: number) => `${this.#stem}${queue}:${at}`;
    const [now, before] = await Promise.all([
      this.#client.hmget(key(minute), ...ENDS),
      this.#client.hmget(key(minute - 1), ...ENDS),
    ]);
    return finishedPerSecond(
      sum(now),
      before.some((ended) => ended !== null) ? sum(before) : undefined,
      nowMs,
    );
  }
}

function sum(amounts: readonly (string | null)[]): number {
  return amounts.reduce((total, amount) => total + Number(amount ?? 0), 0);
}

/** @param before undefined where nothing was counted yet in the minute before this one. */
export function finishedPerSecond(now: number, before: number | undefined, nowMs: number): number {
  const passed = (nowMs % MINUTE_MS) / MINUTE_MS;
  if (before === undefined) return now / Math.max(1, (passed * MINUTE_MS) / 1_000);
  return (now + before * (1 - passed)) / (MINUTE_MS / 1_000);
}

/** When somebody who was refused should ask again. @param perSecond undefined or 0: nobody knows. */
export function retryAfterMs(bound: number, perSecond: number | undefined): number {
  if (perSecond === undefined || perSecond <= 0) return UNKNOWN_DRAIN_MS;
  const drainMs = ((bound * ROOM_SHARE) / perSecond) * 1_000;
  return Math.round(Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, drainMs)));
}
