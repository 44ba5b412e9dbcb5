import { setMaxListeners } from 'node:events';
import type { Blobs } from '@fairlane/blobs';
import type { Retention } from '@fairlane/lanes';
import { DefinitionError } from '@fairlane/sdk';
import type { Catalogue, JobImplementation } from '@fairlane/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { silenceMsOf, waitingConnection, type RedisSettings } from '../redis/connections.js';
import { fairlaneBackends } from '../backend/backend-factory.js';
import { DedupMemory } from '../dedup/dedup-memory.js';
import { LedgerSweeper, type SweptLedger } from '../dedup/ledger-sweeper.js';
import { DedupSweeper } from '../dedup/sweeper.js';
import { BlobSweeper } from '../payloads/blob-sweeper.js';
import { defaultLogger, describeError, type QueueLogger } from '../logging.js';
import { logErrors } from '../repeated-errors.js';
import { countingHooks } from './count-attempts.js';
import { StatisticsRecorder } from '../statistics/recorder.js';
import { DEFAULT_PREFIX, DEFAULT_RETENTION_MS } from '../defaults.js';
import { describeConsumer } from './describe-consumer.js';
import { Heartbeat } from '../workers/heartbeat.js';
import { nextWorkerName } from '../workers/worker-name.js';
import { Cancellations } from './cancellations.js';
import { plainEffects, type EffectRunner } from './effects.js';
import { FairlaneWorker } from './fairlane-worker.js';
import { readHealth, type ConsumerHealth } from './health.js';
import { tellEnd, type ConsumerHooks } from './hooks.js';
import { runAttempt } from './run-attempt.js';
import { SlotCount, type SlotRange } from './slot-count.js';

export interface ConsumerOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  readonly implementations: readonly JobImplementation[];
  /**
   * Queues to take jobs from, and how many at once. Between two bounds the slots of a queue follow its work; one slot
   * always asks for some.
   */
  readonly queues: Readonly<Record<string, { readonly slots: number | SlotRange }>>;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  /** A job whose worker is lost is taken over after this. Default 30,000. */
  readonly leaseMs?: number;
  /** Time that running jobs get to finish on `close`. Default 30,000. */
  readonly graceMs?: number;
  readonly logger?: QueueLogger;
  readonly hooks?: ConsumerHooks;
  /** Default: effects without a ledger. */
  readonly effects?: EffectRunner;
  /** Given, the consumer sweeps what no job refers to any more. */
  readonly ledger?: SweptLedger;
  /** Where large payloads and results lie; given, the consumer sweeps it as well. Stays the caller's to close. */
  readonly blobs?: Blobs | undefined;
  /**
   * How long completed and cancelled jobs are kept, and how many a queue. Default 24 hours and 100,000. Dead letters are
   * kept until a person removes them.
   */
  readonly keepFinished?: Required<Retention>;
  /** How long a key stays taken after its run ended; the same as the producers'. Default 7 days. */
  readonly retentionMs?: number;
  /** A job whose worker was lost more often than this is dead with `crashed`. Default 8. */
  readonly maxStalls?: number;
  /** How often the worker tells the registry that it lives. Default 5,000. */
  readonly beatEveryMs?: number;
  /** Draws of the backoff's jitter, each in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Slots become fewer once half of them have been enough for this long. Default 30,000. */
  readonly slotIdleMs?: number;
}

export interface Consumer {
  /** Starts taking jobs; resolves when every queue's connections are ready. */
  start(): Promise<void>;
  /** Stops taking jobs, lets running ones finish for at most `graceMs`, then gives the rest back. Closes. */
  drain(graceMs?: number): Promise<void>;
  health(): ConsumerHealth;
  close(): Promise<void>;
}

/** Beyond the grace: handlers notice their abort, jobs are given back, connections close. */
const GIVE_BACK_MS = 3_000;
/** Fixed pause after a Redis error before a worker asks again. */
const ERROR_PAUSE_MS = 1_000;
const MIN_STALL_CHECK_MS = 500;
/** How often it is looked whether a queue needs fewer slots. */
const ADJUST_EVERY_MS = 1_000;

export function createConsumer(options: ConsumerOptions): Consumer {
  const {
    redis,
    catalogue,
    queues,
    prefix = DEFAULT_PREFIX,
    leaseMs = 30_000,
    logger = defaultLogger,
    effects = plainEffects,
    retentionMs = DEFAULT_RETENTION_MS,
    maxStalls = 8,
  } = options;
  const implementations = indexImplementations(catalogue, options.implementations);
  const shutdown = new AbortController();
  // Every running job listens to it, as many as there are slots.
  setMaxListeners(0, shutdown.signal);
  const kept = options.keepFinished ?? { ageMs: 86_400_000, count: 100_000 };
  // Every process takes its turn at the upkeep of all queues; it needs one worker for that.
  let upkeep = true;
  const recorder = new StatisticsRecorder({
    client: async () => (workers[0] as FairlaneWorker).fairlaneBackend.client,
    prefix,
    logger,
  });
  const hooks = countingHooks(recorder, options.hooks ?? {});
  const id = nextWorkerName();
  const workers: readonly FairlaneWorker[] = Object.entries(queues).map(([name, { slots }]) =>
    createWorker(name, typeof slots === 'number' ? { min: slots, max: slots } : slots),
  );
  const [first] = workers;
  if (first === undefined) throw new DefinitionError('a consumer takes jobs from at least one queue');
  const memory = new DedupMemory(() => first.fairlaneBackend.client, prefix);
  const sweeper = new DedupSweeper({ memory, prefix, retentionMs, logger });
  const { ledger, blobs } = options;
  const ledgerSweeper = ledger && new LedgerSweeper({ ledger, memory, retentionMs, logger });
  const blobSweeper = blobs && new BlobSweeper({ blobs, memory, logger });
  const cancellations = new Cancellations(redis, prefix, logger, (id) => {
    for (const worker of workers) worker.cancelRunning(id);
  });
  const heartbeat = new Heartbeat({
    id,
    prefix,
    everyMs: options.beatEveryMs ?? 5_000,
    redis,
    describe: () => describeConsumer(health(), workers, implementations),
    logger,
  });
  let adjusting: NodeJS.Timeout | undefined;
  let status: ConsumerHealth['status'] = 'starting';
  let closing: Promise<void> | undefined;

  return {
    async start() {
      // Before the first job is taken: one that is handed to a process which still connects waits there, and what
      // waits after its admission arrives outside in a heap.
      await Promise.all(workers.map(async (worker) => worker.waitUntilReady()));
      await cancellations.start();
      for (const worker of workers) {
        worker.run().catch((error: unknown) => logger.error(describeError(error), 'the worker loop ended'));
      }
      sweeper.start();
      ledgerSweeper?.start();
      blobSweeper?.start();
      adjusting = setInterval(() => workers.forEach((worker) => worker.adjustSlots()), ADJUST_EVERY_MS);
      adjusting.unref();
      if (status === 'starting') {
        status = 'running';
        heartbeat.start();
      }
    },
    drain: (graceMs = options.graceMs ?? 30_000) => (closing ??= drain(graceMs)),
    health,
    close: () => (closing ??= drain(options.graceMs ?? 30_000)),
  };

  function health(): ConsumerHealth {
    return readHealth(status, workers, leaseMs);
  }

  function createWorker(name: string, slots: SlotRange): FairlaneWorker {
    if (!Object.hasOwn(catalogue.queues.definitions, name)) {
      throw new DefinitionError(`queue ${name} is not declared in the catalogue`);
    }
    const backends = fairlaneBackends(catalogue, {
      upkeep,
      retention: { completed: kept, cancelled: kept },
      onTrim: async (queue, ids, state) => memory.remember(queue, state, ids),
      onRepair: (queue, report) => hooks.onRepaired?.({ queue, ...report }),
    });
    upkeep = false;
    const worker: FairlaneWorker = new FairlaneWorker(
      name,
      async (job, lease, cancelled) =>
        runAttempt(job, lease, cancelled, {
          implementations,
          backend: worker.fairlaneBackend,
          effects,
          logger,
          hooks,
          blobs,
          shutdown: shutdown.signal,
          random: options.random ?? Math.random,
        }),
      (job, settled) => tellEnd(hooks, job, settled),
      new SlotCount(slots, options.slotIdleMs ?? 30_000, performance.now()),
      {
        connection: waitingConnection(redis, silenceMsOf(leaseMs)),
        prefix,
        name: id,
        autorun: false,
        lockDuration: leaseMs,
        stalledInterval: Math.max(MIN_STALL_CHECK_MS, Math.floor(leaseMs / 2)),
        maxStalledCount: maxStalls,
        runRetryDelay: ERROR_PAUSE_MS,
      },
      backends,
    );
    logErrors(worker, logger, name, 'worker error');
    worker.on('stalled', (jobId) =>
      logger.warn({ queue: name, jobId }, 'took a job back from a lost worker'),
    );
    return worker;
  }

  async function drain(graceMs: number): Promise<void> {
    status = 'draining';
    clearInterval(adjusting);
    heartbeat.beat();
    recorder.drain();
    const sweeping = [sweeper.stop(), ledgerSweeper?.stop(), blobSweeper?.stop()];
    const closed = Promise.all([...sweeping, ...workers.map(async (worker) => worker.close())]);
    if (!(await settledWithin(closed, graceMs))) {
      shutdown.abort();
      if (!(await settledWithin(closed, GIVE_BACK_MS))) {
        // Redis is away, or BullMQ waits for something that does not come.
        logger.error('jobs could not be given back; their leases will end and other workers take them');
        await Promise.allSettled(workers.map(async (worker) => worker.fairlaneBackend.close(true)));
      }
    }
    await Promise.all([recorder.close(), heartbeat.stop()]);
    cancellations.close();
    status = 'closed';
  }
}

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    timer.abort();
  }
}

function indexImplementations(
  catalogue: Catalogue,
  implementations: readonly JobImplementation[],
): ReadonlyMap<string, JobImplementation> {
  const byName = new Map<string, JobImplementation>();
  for (const implementation of implementations) {
    const { name } = implementation.contract;
    if (byName.has(name)) throw new DefinitionError(`job ${name} has two implementations`);
    if (catalogue.job(name) === undefined) throw new DefinitionError(`job ${name} is not in the catalogue`);
    byName.set(name, implementation);
  }
  return byName;
}
