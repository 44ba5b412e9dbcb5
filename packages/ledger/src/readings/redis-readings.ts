import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';

import { tellLosses } from '../redis/tell-losses.js';
import { boundedLimit, inUtc, type Reading, type Readings } from './readings.js';

export interface RedisReadingsOptions {
  /** A URL such as `redis://127.0.0.1:6379`, or the options of ioredis. */
  readonly redis: string | RedisOptions;
  /** In front of every key. Default `{fairlane}`. */
  readonly prefix?: string;
  /** Told of connection errors, which are survived. */
  readonly onError?: (error: unknown) => void;
  /** Most readings of one account; the oldest go. Default 1,000. */
  readonly maxOfAccount?: number;
  /** Most readings in all; those of accounts that told nothing for longest go. Default 100,000. */
  readonly maxInAll?: number;
  /** How long a call waits for its answer, ms. Default 1,500. */
  readonly timeoutMs?: number;
}

interface Commands {
  fairlaneAddReading(...keysAndArguments: (string | number)[]): Promise<number>;
}

const ADD = readFileSync(new URL('../../lua/add-reading.lua', import.meta.url), 'utf8');

/** Readings in Redis, bounded for each account and in all, since they are in memory. */
export function createRedisReadings(options: RedisReadingsOptions): Readings {
  const { redis, prefix = '{fairlane}', onError = () => undefined } = options;
  const { maxOfAccount = 1_000, maxInAll = 100_000, timeoutMs = 1_500 } = options;
  const own = {
    scripts: { fairlaneAddReading: { numberOfKeys: 3, lua: ADD } },
    replyMapping: 'legacy',
    connectTimeout: 5_000,
    commandTimeout: timeoutMs,
    // A connection that is silent although an answer is due may be half-open: it is made anew.
    socketTimeout: 2 * timeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), 1_000),
  } satisfies RedisOptions;
  const client = (
    typeof redis === 'string' ? new Redis(redis, own) : new Redis({ ...redis, ...own })
  ) as Redis & Commands;
  tellLosses(client, onError);
  const listPrefix = `${prefix}:readings:of:`;

  return {
    async add(reading) {
      const stored = inUtc(reading);
      const { accountId } = stored;
      await client.fairlaneAddReading(
        listPrefix + accountId,
        `${prefix}:readings:accounts`,
        `${prefix}:readings:count`,
        accountId,
        Date.parse(stored.at),
        JSON.stringify(stored),
        maxOfAccount,
        maxInAll,
        listPrefix,
      );
    },

    async latest(accountId, limit) {
      const texts = await client.zrevrange(listPrefix + accountId, 0, boundedLimit(limit) - 1);
      return texts.map((text) => JSON.parse(text) as Reading);
    },

    async close() {
      client.disconnect();
    },
  };
}
