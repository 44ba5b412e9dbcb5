import { createLanes, type FinishedState } from '@fairlane/lanes';
import { implement, type Catalogue, type Handler, type JobImplementation } from '@fairlane/sdk';
import { PATIENCE_MS, type RedisInTests } from '@fairlane/testkit/vitest';
import type { Queue } from 'bullmq';
import { afterEach } from 'vitest';
import { DedupMemory } from '../../src/dedup/dedup-memory.js';
import type { FairlaneBackend } from '../../src/backend/fairlane-backend.js';
import {
  createBulkRunner,
  createConsumer,
  createOperations,
  createProducer,
  openQueues,
  type BulkRunner,
  type BulkRunnerOptions,
  type Consumer,
  type ConsumerOptions,
  type EnqueueResult,
  type JobView,
  type Operations,
  type OperationsOptions,
  type Producer,
  type ProducerOptions,
  type QueueLogger,
} from '../../src/index.js';
import { defineParcelJob, parcelCatalogue, type ParcelJob } from './parcels.js';
import { until } from './until.js';

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** Producers, consumers and queues over the Redis of a test; all closed after it. */
export class World {
  readonly #redis: RedisInTests;
  readonly #closers: (() => Promise<unknown>)[] = [];
  job: ParcelJob = defineParcelJob();
  lines: LogLine[] = [];

  constructor(redis: RedisInTests) {
    this.#redis = redis;
    afterEach(async () => {
      for (const close of this.#closers.splice(0).toReversed()) await close();
      this.job = defineParcelJob();
      this.lines = [];
    });
  }

  get catalogue(): Catalogue {
    return parcelCatalogue(this.job);
  }

  get logger(): QueueLogger {
    const write =
      (level: string) =>
      (first: object | string, message = '') => {
        const fields = typeof first === 'string' ? {} : { ...first };
        this.lines.push({ level, fields, message: typeof first === 'string' ? first : message });
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  producer(options: Partial<ProducerOptions> = {}): Producer {
    const { url, prefix } = this.#redis;
    const producer = createProducer({
      redis: url,
      prefix,
      catalogue: this.catalogue,
      logger: this.logger,
      // A busy machine makes no call fail.
      timeoutMs: PATIENCE_MS,
      ...options,
    });
    this.#closers.push(async () => producer.close());
    return producer;
  }

  async consumer(
    handler: Handler<ParcelJob['payload']>,
    options: Partial<ConsumerOptions> = {},
  ): Promise<Consumer> {
    const consumer = this.unstartedConsumer([implement(this.job, handler)], options);
    await consumer.start();
    return consumer;
  }

  unstartedConsumer(
    implementations: readonly JobImplementation[],
    options: Partial<ConsumerOptions> = {},
  ): Consumer {
    const { url, prefix } = this.#redis;
    const consumer = createConsumer({
      redis: url,
      prefix,
      catalogue: this.catalogue,
      implementations,
      queues: { parcels: { slots: 5 } },
      graceMs: 2_000,
      logger: this.logger,
      ...options,
    });
    this.#closers.push(async () => consumer.close());
    return consumer;
  }

  operations(options: Partial<OperationsOptions> = {}): Operations {
    const { url, prefix } = this.#redis;
    const { catalogue, logger } = this;
    const timeoutMs = PATIENCE_MS;
    const operations = createOperations({ redis: url, prefix, catalogue, logger, timeoutMs, ...options });
    this.#closers.push(async () => operations.close());
    return operations;
  }

  /** Looks for bulk operations ten times a second. */
  bulkRunner(options: Partial<BulkRunnerOptions> = {}): BulkRunner {
    const { url, prefix } = this.#redis;
    const { catalogue, logger } = this;
    const runner = createBulkRunner({ redis: url, prefix, catalogue, logger, pollMs: 100, ...options });
    this.#closers.push(async () => runner.close());
    return runner;
  }

  /** Trims all parcels that ended so, as the upkeep of a consumer does. */
  async trim(state: FinishedState): Promise<void> {
    const { url, prefix } = this.#redis;
    const lanes = createLanes({ connection: url, prefix });
    this.#closers.push(async () => lanes.close());
    const memory = this.memory();
    await lanes.trim('parcels', state, { ageMs: -1_000 }, async (ids) =>
      memory.remember('parcels', state, ids),
    );
  }

  memory(): DedupMemory {
    const { backend } = this.queue();
    return new DedupMemory(() => backend.client, this.#redis.prefix);
  }

  /** BullMQ's queue and our backend under it. */
  queue(named = 'parcels'): { queue: Queue; backend: FairlaneBackend } {
    const { url, prefix } = this.#redis;
    const queues = openQueues({ redis: url, prefix, catalogue: this.catalogue, logger: this.logger });
    for (const one of queues) this.#closers.push(async () => one.close());
    const queue = queues.find(({ name }) => name === named) as Queue;
    return { queue, backend: queue.getBackend() as unknown as FairlaneBackend };
  }

  async untilState(producer: Producer, id: string, state: JobView['state']): Promise<JobView> {
    let seen: JobView | undefined;
    try {
      return await until(`job ${id} is ${state}`, async () => {
        seen = await producer.job(id);
        return seen?.state === state ? seen : undefined;
      });
    } catch (error) {
      throw new Error(`it was ${JSON.stringify(seen)}`, { cause: error });
    }
  }
}

/** The id of an accepted or duplicate job. */
export function idOf(result: EnqueueResult): string {
  if (result.outcome === 'refused') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result.id;
}
