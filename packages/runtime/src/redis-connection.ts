import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logger.js';
import type { RedisLocation } from './redis-url.js';

const commandTimeoutMs = 1_500;
const maxReconnectDelayMs = 1_000;
/** A connection that has brought nothing for so long, while an answer is due, is made anew: it may be half-open. */
const silenceMs = 2 * commandTimeoutMs;

/**
 * A connection for checks and short reads. It reconnects for ever and logs its errors (an `error` event
 * without a listener would end the process), but a command fails at once while Redis is away: nothing
 * is queued to be sent later.
 */
export function connectRedis(
  location: RedisLocation,
  { name, logger }: { name: string; logger: Logger },
): Redis {
  const options = {
    connectionName: `fairlane:${name}`,
    commandTimeout: commandTimeoutMs,
    connectTimeout: commandTimeoutMs,
    socketTimeout: silenceMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  } satisfies RedisOptions;
  const redis =
    typeof location === 'string' ? new Redis(location, options) : new Redis({ ...location, ...options });
  let reachable = true;
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  // A server that stops closes the connection without an error; this event comes in both cases.
  redis.on('reconnecting', () => {
    // One line a loss, not one a try.
    if (reachable) logger.error({ err: lastError }, 'no connection to Redis, reconnecting');
    reachable = false;
    lastError = undefined;
  });
  redis.on('ready', () => {
    if (!reachable) logger.info('connected to Redis again');
    reachable = true;
  });
  return redis;
}

/** Replies of a server that is there but does not take commands, or not all of them, right now. */
const refusals = /^(?:OOM|LOADING|READONLY|MASTERDOWN|NOREPLICAS|MISCONF|BUSY|CLUSTERDOWN|TRYAGAIN)\b/;
/** What the client says of a connection that is lost, was never there, or hangs. */
const losses =
  /enableOfflineQueue|Connection is closed|Command timed out|Socket closed|ECONN|EPIPE|ETIMEDOUT/;

/** Whether a command failed because Redis is away or full, not because of the command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return true;
  return refusals.test(error.message) || losses.test(error.message);
}
