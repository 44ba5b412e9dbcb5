import { MAX_PAYLOAD_BYTES, type Blobs } from '@fairlane/blobs';
import type { Catalogue, JobContract, PayloadInput } from '@fairlane/sdk';
import { createLanes } from '@fairlane/lanes';
import { openBackends } from '../backend/open-backends.js';
import { connectProducer, type RedisSettings } from '../redis/connections.js';
import { DEFAULT_PREFIX, DEFAULT_RETENTION_MS } from '../defaults.js';
import { UnavailableError } from '../errors.js';
import { defaultLogger, type QueueLogger } from '../logging.js';
import { PayloadHolds } from '../payloads/payload-holds.js';
import { StatisticsRecorder } from '../statistics/recorder.js';
import { JobViewReader, type EffectReader } from '../views/read-job-view.js';
import type { JobView } from '../views/job-view.js';
import { readQueueCounts, type QueueCounts } from '../views/queue-counts.js';
import { inBatches } from './batches.js';
import { Claims, toRefused } from './claims.js';
import { DrainRates, retryAfterMs } from './drain-rates.js';
import { isQueueFull, type EnqueueResult, type QueueFull } from './enqueue-result.js';
import { Patience } from './patience.js';
import { pipelined } from './pipelined.js';
import { RedisSessions } from '../redis/redis-session.js';
import { readSchedule, type EnqueueOptions } from './schedule.js';
import { Sender } from './send.js';
import { prepare, type Submission } from './submission.js';

export interface ProducerOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** In front of every key. Default `{fairlane}`; the braces keep all keys on one shard of a cluster. */
  readonly prefix?: string;
  /** How long a key stays taken after its run ended. Default 7 days. */
  readonly retentionMs?: number;
  /** A call that Redis has not answered by then fails. Default 2,000. */
  readonly timeoutMs?: number;
  /** Largest payload taken, as JSON. Default 32 MiB; without `blobs` 64 KiB at most, whatever is set here. */
  readonly maxPayloadBytes?: number;
  /** Where payloads above 64 KiB go, and where the files lie that payloads name. Stays the caller's to close. */
  readonly blobs?: Blobs | undefined;
  /** Fills `JobView.effects`; the ledger fits. */
  readonly effects?: EffectReader;
  readonly logger?: QueueLogger;
}

export interface Producer {
  /**
   * Hands a job in.
   *
   * @throws UnavailableError within `timeoutMs` when Redis is away; InvalidOptionsError for impossible options.
   */
  enqueue<C extends JobContract>(
    contract: C,
    payload: PayloadInput<C>,
    options?: EnqueueOptions,
  ): Promise<EnqueueResult>;
  /**
   * Hands many jobs in, in batches of one round trip. One result a payload, in order. Reads no more of the source
   * than what is on its way, so a source of any length is fine. A batch that Redis does not take is answered as
   * refused with `unavailable`. While a queue is full jobs are refused with `queue_full`, or, with `patience`, the
   * source is read no further and what was refused is handed in again until there is room.
   */
  enqueueMany<C extends JobContract>(
    contract: C,
    payloads: Iterable<PayloadInput<C>> | AsyncIterable<PayloadInput<C>>,
    options?: EnqueueOptions & { readonly patience?: Patience },
  ): AsyncIterable<EnqueueResult>;
  /** The job of that id in whichever queue it is, or undefined. */
  job(id: string): Promise<JobView | undefined>;
  queueCounts(queue: string): Promise<QueueCounts>;
  close(): Promise<void>;
}

const NO_PATIENCE = new Patience({ waitMs: 0 });
const BATCH_COUNT = 200;
/** Batches on their way at once: enough to keep Redis busy while the next one is being checked. */
const BATCHES_AT_ONCE = 3;
/**
 * A connection that is silent for so many time limits is made anew: all that wait for it have given up by then, and an
 * answer that is merely late costs no connection.
 */
const SILENT_TIMEOUTS = 2;

/** A producer over one connection. Closing it closes the connection. */
export function createProducer(options: ProducerOptions): Producer {
  const { catalogue, prefix = DEFAULT_PREFIX, blobs } = options;
  const bounds = {
    maxBytes: options.maxPayloadBytes ?? MAX_PAYLOAD_BYTES,
    hasBlobStore: blobs !== undefined,
  };
  const timeoutMs = options.timeoutMs ?? 2_000;
  const logger = options.logger ?? defaultLogger;
  const client = connectProducer(options.redis, logger, SILENT_TIMEOUTS * timeoutMs);
  const sessions = new RedisSessions(client, timeoutMs);
  const { backendOf, queues, first } = openBackends(client, prefix, catalogue);
  const sender = new Sender(client, backendOf, options.retentionMs ?? DEFAULT_RETENTION_MS);
  const claims = new Claims(blobs && new PayloadHolds(blobs, options.logger ?? defaultLogger));
  const rates = new DrainRates(client, sessions, prefix);
  const views = new JobViewReader(first, queues, options.effects);
  const lanes = createLanes({ connection: client, prefix });
  const recorder = new StatisticsRecorder({
    client: async () => first.client,
    prefix,
    logger: options.logger ?? defaultLogger,
    isConnected: () => client.status === 'ready',
  });

  async function sendBatch(batch: readonly Submission[], schedule: ReturnType<typeof readSchedule>) {
    return claims.send(batch, async (ready) => sendReady(ready, schedule));
  }

  async function sendReady(batch: readonly Submission[], schedule: ReturnType<typeof readSchedule>) {
    try {
      const results = await sessions.run(
        (session) => sender.many(batch, schedule, session),
        (answer) => answer === undefined,
      );
      for (const [at, result] of results?.entries() ?? []) count(batch[at] as Submission, result);
      return results ?? [];
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return batch.map((): EnqueueResult => ({ outcome: 'refused', code: 'unavailable', issues: [] }));
    }
  }

  /** Hands in again what a full queue refused, for as long as that helps. */
  async function sendPatiently(
    batch: readonly Submission[],
    schedule: ReturnType<typeof readSchedule>,
    patience: Patience,
  ): Promise<EnqueueResult[]> {
    const results = await sendBatch(batch, schedule);
    for (;;) {
      const refused = [...results.keys()].filter((at) => isQueueFull(results[at]));
      if (refused.length === 0) return results;
      if (!(await patience.wait())) {
        return Promise.all(
          results.map(async (result, at) =>
            isQueueFull(result) ? withRetryTime(batch[at] as Submission, result) : result,
          ),
        );
      }
      const again = await sendBatch(
        refused.map((at) => batch[at] as Submission),
        schedule,
      );
      if (again.some((result) => !isQueueFull(result))) patience.moved();
      for (const [index, at] of refused.entries()) results[at] = again[index] as EnqueueResult;
    }
  }

  function count({ queue }: Submission, { outcome }: EnqueueResult): void {
    if (outcome === 'accepted') recorder.count(queue, 'enqueued');
  }

  /** Says to one that a full queue refused when to come back. */
  async function withRetryTime({ queue, bounds }: Submission, result: QueueFull): Promise<QueueFull> {
    return { ...result, retryAfterMs: retryAfterMs(bounds.maxWaiting, await rates.perSecond(queue)) };
  }

  return {
    async enqueue(contract, payload, enqueueOptions = {}) {
      const schedule = readSchedule(enqueueOptions);
      const prepared = prepare(catalogue, contract, payload, bounds);
      const held = claims.concern(prepared) ? await claims.hold(prepared) : prepared;
      if (held.kind === 'refusal') return toRefused(held);
      const result = (await sessions.run(
        (session) => sender.one(held, schedule, session),
        (answer) => answer === undefined,
      )) as EnqueueResult;
      if (held.hold !== undefined) await claims.settle(held, result);
      count(held, result);
      return isQueueFull(result) ? withRetryTime(held, result) : result;
    },

    async *enqueueMany(contract, payloads, { patience = NO_PATIENCE, ...enqueueOptions } = {}) {
      const schedule = readSchedule(enqueueOptions);
      const batches = inBatches(payloads, BATCH_COUNT);
      const answered = pipelined(batches, BATCHES_AT_ONCE, async (batch) => {
        const prepared = batch.map((payload) => prepare(catalogue, contract, payload, bounds));
        const sent = await sendPatiently(
          prepared.filter((one) => one.kind === 'submission'),
          schedule,
          patience,
        );
        let next = 0;
        return prepared.map((one) =>
          one.kind === 'refusal' ? toRefused(one) : (sent[next++] as EnqueueResult),
        );
      });
      for await (const results of answered) yield* results;
    },

    job: (id) => sessions.run(() => views.read(id)),

    queueCounts: (queue) => sessions.run(() => readQueueCounts(lanes, backendOf(queue).queueName)),

    async close() {
      await recorder.close();
      await sessions.close();
    },
  };
}
