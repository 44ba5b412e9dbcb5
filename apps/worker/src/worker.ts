import type { Blobs } from '@fairlane/blobs';
import { createEffectRunner, type EffectLedger } from '@fairlane/ledger';
import { createConsumer } from '@fairlane/queue';
import type { Checks, Logger, QueueSlots, RedisLocation, Registry } from '@fairlane/runtime';
import type { Catalogue, JobImplementation } from '@fairlane/sdk';
import { effectMetrics, jobMetrics } from './job-metrics.js';

export interface WorkerDeps {
  redis: RedisLocation;
  /** Of all keys in Redis. */
  prefix: string;
  catalogue: Catalogue;
  implementations: readonly JobImplementation[];
  queues: readonly QueueSlots[];
  /** How long a job stays this worker's without a sign of life. */
  leaseMs: number;
  /** How long running jobs may go on after a stop. */
  graceMs: number;
  /** Records the effects of jobs; closed by whoever opened it. */
  ledger: EffectLedger;
  logger: Logger;
  registry: Registry;
  /** Where large payloads and results lie; closed by whoever opened it. */
  blobs?: Blobs | undefined;
}

export interface WorkerApp {
  start(): Promise<void>;
  /** Takes no more jobs, lets running ones finish for at most the grace period, gives the rest back, closes. */
  stop(): Promise<void>;
  /** Fails when only a restart helps. An empty queue, held jobs or an absent Redis are no reason. */
  healthz: Checks;
  /** Fails before the start and from the begin of a stop. */
  readyz: Checks;
}

/** A worker without the environment, the signals and the port of its process. */
export function createWorkerApp(deps: WorkerDeps): WorkerApp {
  const { redis, prefix, catalogue, implementations, leaseMs, graceMs, ledger, logger, registry } = deps;
  const consumer = createConsumer({
    redis,
    prefix,
    catalogue,
    implementations,
    queues: Object.fromEntries(deps.queues.map(({ name, min, max }) => [name, { slots: { min, max } }])),
    leaseMs,
    graceMs,
    logger,
    hooks: jobMetrics(registry, Object.keys(catalogue.queues.definitions)),
    effects: createEffectRunner({ ledger, onOutcome: effectMetrics(registry) }),
    ledger,
    blobs: deps.blobs,
  });
  return {
    start: () => consumer.start(),
    stop: () => consumer.drain(),
    healthz: {
      consumer() {
        const { stuck, queues } = consumer.health();
        if (!stuck) return undefined;
        const ages = queues.map(
          ({ name, lastPollAgeMs }) => `${name} ${Math.round(lastPollAgeMs / 1000)} s ago`,
        );
        return `the consume loop is stuck, work was last asked for: ${ages.join(', ')}`;
      },
    },
    readyz: {
      consumer() {
        const { status } = consumer.health();
        return status === 'running' ? undefined : status;
      },
      async ledger() {
        try {
          await ledger.check();
          return undefined;
        } catch (error) {
          logger.warn({ err: error }, 'the ledger of effects cannot be used');
          return 'the ledger of effects cannot be used';
        }
      },
    },
  };
}
