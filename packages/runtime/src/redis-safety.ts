import type { Redis } from 'ioredis';
import type { Check } from './checks.js';

const startTimeoutMs = 10_000;

/** Redis may drop jobs on its own, or cannot be asked whether it may. */
export class UnsafeRedisError extends Error {
  readonly code = 'unsafe_redis';
  override name = 'UnsafeRedisError';
}

/**
 * The reason why jobs are not safe in this Redis, or undefined.
 * Any policy but `noeviction` lets Redis delete jobs, claims and dedup memory when memory runs out,
 * without a trace. Asked through INFO, since managed services refuse CONFIG.
 */
export async function findRedisDanger(redis: Redis): Promise<string | undefined> {
  const memory = await redis.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  if (policy === 'noeviction') return undefined;
  return `maxmemory-policy is ${policy ?? 'unknown'}: set it to noeviction, or Redis may drop accepted jobs`;
}

/**
 * For the start of a process: waits for Redis, at most `timeoutMs`, and throws an {@link UnsafeRedisError}
 * when it does not come or when {@link findRedisDanger} finds one.
 */
export async function assertRedisSafe(redis: Redis, timeoutMs = startTimeoutMs): Promise<void> {
  await waitUntilReady(redis, timeoutMs);
  await assertDatabase(redis);
  const danger = await findRedisDanger(redis);
  if (danger !== undefined) throw new UnsafeRedisError(`Redis is not safe to use: ${danger}`);
}

/** The client goes on in database 0, without a word, when the server refuses the one that was asked for. */
async function assertDatabase(redis: Redis): Promise<void> {
  const database = redis.options.db ?? 0;
  if (database === 0) return;
  try {
    await redis.select(database);
  } catch (cause) {
    throw new UnsafeRedisError(
      `Redis has no database ${database} for us: check the end of REDIS_URL, and "databases" of the server`,
      { cause },
    );
  }
}

async function waitUntilReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  try {
    // Not through `once`: its promise rejects at the first `error`, and the client retries after those.
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('timed out')), timeoutMs);
      redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  } catch (cause) {
    throw new UnsafeRedisError(
      `Redis did not answer within ${timeoutMs} ms: check REDIS_URL and the server`,
      { cause },
    );
  }
}

/** The same as a readiness check. */
export function redisCheck(redis: Redis): Check {
  return async () => {
    try {
      return await findRedisDanger(redis);
    } catch {
      return 'Redis does not answer';
    }
  };
}
