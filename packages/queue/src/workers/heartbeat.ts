import type { Redis } from 'ioredis';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { connectProducer, type RedisSettings } from '../redis/connections.js';
import { describeError, type QueueLogger } from '../logging.js';
import { readLua } from '../scripts/lua-script.js';
import { FORGET_AFTER_MS, MOST_WORKERS, registryKeys, type Beat } from './beat.js';

export interface HeartbeatOptions {
  readonly id: string;
  readonly prefix: string;
  readonly everyMs: number;
  readonly redis: RedisSettings;
  readonly describe: () => Omit<Beat, 'connection' | 'everyMs' | 'eventLoopLagMs'>;
  readonly logger: QueueLogger;
}

/** Resolution of the measured lag; an idle loop is late by about as much. */
const LAG_RESOLUTION_MS = 20;
/** A farewell that Redis has not answered by then does not hold up a close: silence tells the same, later. */
const FAREWELL_MS = 1_000;

/** A connection that has brought no answer for so many beats is broken, whatever the network says: another is made. */
const SILENT_BEATS = 2;

interface BeatingClient extends Redis {
  beat(...args: (string | number)[]): Promise<string>;
}

/**
 * Tells the registry every few seconds that this worker lives and what it does: two commands a beat, on a connection of
 * its own, since those of the queues close one by one while a worker drains, and are the first to be stuck.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  #client: BeatingClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    const { redis, everyMs, logger } = this.#options;
    const client = connectProducer(redis, logger, SILENT_BEATS * everyMs) as BeatingClient;
    client.defineCommand('beat', { numberOfKeys: 3, lua: readLua('beat') });
    // At once when the connection is there, for the first time or again.
    client.on('ready', () => this.beat());
    this.#client = client;
    this.#lag.enable();
    this.#timer = setInterval(() => this.beat(), everyMs);
    this.#timer.unref();
  }

  /** A beat before its time, since something has changed. */
  beat(): void {
    if (this.#client?.status !== 'ready') return;
    this.#sending ??= this.#send(this.#client)
      .catch((error: unknown) => this.#options.logger.debug(describeError(error), 'a beat was lost'))
      .finally(() => (this.#sending = undefined));
  }

  /** Leaves the registry. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#lag.disable();
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    const timer = new AbortController();
    const late = delay(FAREWELL_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#leave(client).catch(() => undefined), late]);
    timer.abort();
    client.disconnect();
  }

  async #send(client: BeatingClient): Promise<void> {
    const connection = String(await client.client('ID'));
    const { describe, everyMs } = this.#options;
    const eventLoopLagMs = Math.max(0, Math.round(this.#lag.max / 1e6 - LAG_RESOLUTION_MS));
    this.#lag.reset();
    const beat: Beat = { ...describe(), connection, everyMs, eventLoopLagMs };
    const serving = beat.isDraining || beat.isStuck ? [] : beat.queues.map(({ queue }) => queue);
    await this.#run(client, JSON.stringify(beat), serving);
  }

  async #leave(client: BeatingClient): Promise<void> {
    await this.#sending;
    await this.#run(client, '', []);
  }

  async #run(client: BeatingClient, said: string, serving: readonly string[]): Promise<void> {
    const { id, prefix } = this.#options;
    await client.beat(...registryKeys(prefix), id, said, FORGET_AFTER_MS, MOST_WORKERS, ...serving);
  }
}
