import type { ConnectionOptions } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { describeError, type QueueLogger } from '../logging.js';

/** A URL such as `redis://127.0.0.1:6379`, or the options of ioredis. Scripts need its default shapes of replies. */
export type RedisSettings = string | Omit<RedisOptions, 'replyMapping'>;

/** Longest pause between two tries to connect: a worker is back within this after Redis is (A27). */
const MAX_RECONNECT_DELAY_MS = 1_000;

const common = {
  connectTimeout: 5_000,
  retryStrategy: reconnectDelayMs,
} satisfies RedisOptions;

/**
 * A connection that has brought nothing for so long, while an answer is due, is broken whatever the network says, and
 * another is made: a firewall that forgot it, or a peer that vanished, would be noticed after a quarter of an hour. A
 * third of the lease, so that a renewal that vanished is sent again before its lease is over.
 */
export function silenceMsOf(leaseMs: number): number {
  return Math.min(MAX_SILENCE_MS, Math.max(MIN_SILENCE_MS, Math.floor(leaseMs / 3)));
}

/** Longer than Redis is busy with one command, however slow its disk. */
const MAX_SILENCE_MS = 10_000;
/** Longer than a worker blocks on purpose (800 ms), and than a process without its share of a processor pauses. */
const MIN_SILENCE_MS = 5_000;

/** What such a connection ends with, apart from one that was refused or reset. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Socket timeout');
}

/**
 * A connection for producers: while Redis is away a command fails instead of waiting to be sent later, since the
 * caller has been told by then that its job was refused (A28).
 *
 * @param silenceMs it is made anew when it has brought nothing for so long although an answer is due.
 */
export function connectProducer(
  redis: RedisSettings,
  logger: QueueLogger,
  silenceMs = MAX_SILENCE_MS,
): Redis {
  const options = {
    ...common,
    socketTimeout: silenceMs,
    // Without offline queue, resending and retries no command outlives the connection it was given to.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  } satisfies RedisOptions;
  const client = typeof redis === 'string' ? new Redis(redis, options) : new Redis({ ...redis, ...options });
  watchConnection(client, logger);
  gatherWrites(client);
  return client;
}

/**
 * Commands that are asked for together go out in one write: a write for each took a sixth of the time of an enqueue
 * over HTTP. Jobs of one turn of the event loop share a command besides, at the end of the turn, so nothing more is
 * waited for here.
 */
function gatherWrites(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      return write(...args);
    };
  });
}

/**
 * Options for the connections of workers and boards, which wait for Redis for as long as it takes.
 *
 * @param silenceMs as for `connectProducer`; above the time for which a worker blocks.
 */
export function waitingConnection(redis: RedisSettings, silenceMs = MAX_SILENCE_MS): ConnectionOptions {
  const given = typeof redis === 'string' ? { url: redis } : redis;
  const options: object = { ...given, ...common, socketTimeout: silenceMs, maxRetriesPerRequest: null };
  return options;
}

/** A connection that waits for Redis like a worker's, for messages. */
export function connectSubscriber(redis: RedisSettings): Redis {
  const options = {
    ...common,
    socketTimeout: MAX_SILENCE_MS,
    maxRetriesPerRequest: null,
  } satisfies RedisOptions;
  return typeof redis === 'string' ? new Redis(redis, options) : new Redis({ ...redis, ...options });
}

/** Pause before the given try to connect, counted from 1. Never ends: Redis comes back some time. */
export function reconnectDelayMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY_MS);
}

/** Without a listener an `error` event would end the process (A39). One line a loss, not one a try. */
function watchConnection(client: Redis, logger: QueueLogger): void {
  let lost = false;
  let lastError: unknown = new Error('the connection was closed');
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  client.on('reconnecting', () => {
    if (!lost) logger.error(describeError(lastError), 'no connection to Redis, reconnecting');
    lost = true;
  });
  client.on('ready', () => {
    if (lost) logger.info('connected to Redis again');
    lost = false;
  });
}
