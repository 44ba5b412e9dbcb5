import { Redis } from 'ioredis';
import type { Logger } from './logger.js';

const commandTimeoutMs = 1_500;
const maxReconnectDelayMs = 1_000;

/**
 * A connection for checks and short reads. It reconnects for ever and logs its errors (an `error` event
 * without a listener would end the process), but a command fails at once while Redis is away: nothing
 * is queued to be sent later.
 */
export function connectRedis(url: string, { name, logger }: { name: string; logger: Logger }): Redis {
  const redis = new Redis(url, {
    connectionName: `fairlane:${name}`,
    commandTimeout: commandTimeoutMs,
    connectTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  });
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
