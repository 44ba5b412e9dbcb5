import type { Redis } from 'ioredis';
import { cancelChannel } from '../backend/cancel-call.js';
import { connectSubscriber, type RedisSettings } from '../redis/connections.js';
import { describeError, type QueueLogger } from '../logging.js';

/**
 * Hears of cancelled jobs at once. A message may be lost with the connection, so the note on the job's hash is looked at
 * whenever its lease is renewed as well.
 */
export class Cancellations {
  readonly #client: Redis;
  readonly #logger: QueueLogger;
  readonly #channel: string;

  constructor(redis: RedisSettings, prefix: string, logger: QueueLogger, onCancel: (id: string) => void) {
    this.#channel = cancelChannel(prefix);
    this.#logger = logger;
    this.#client = connectSubscriber(redis);
    // The workers' own connections report that Redis is away; without a listener the process would end (A39).
    this.#client.on('error', () => undefined);
    this.#client.on('message', (_channel, id) => onCancel(id));
  }

  /** Resolves when listening; while Redis is away it goes on trying, also after `start` has been left. */
  async start(): Promise<void> {
    try {
      await this.#client.subscribe(this.#channel);
    } catch (error) {
      this.#logger.warn(describeError(error), 'cancelled jobs are noticed late');
    }
  }

  close(): void {
    this.#client.disconnect();
  }
}
