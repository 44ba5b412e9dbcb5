import { openBlobs, type Blobs } from '@fairlane/blobs';
import { ledgerChoice, openLedger } from '@fairlane/ledger';
import {
  assertRedisSafe,
  connectRedis,
  createHealthServer,
  createLogger,
  createMetrics,
  createShutdown,
} from '@fairlane/runtime';
import type { Catalogue, JobImplementation } from '@fairlane/sdk';
import type { WorkerEnvironment } from './environment.js';
import { jobsLeftToOthers } from './left-to-others.js';
import { createWorkerApp } from './worker.js';

/** Beyond the grace period, for giving jobs back and closing connections. */
const CLOSING_MS = 15_000;

/** What a worker has open, for the handlers of its jobs. */
export interface WorkerResources {
  redis: ReturnType<typeof connectRedis>;
  /** Undefined where no blob store is configured. */
  blobs: Blobs | undefined;
}

export interface RunWorkerOptions {
  env: WorkerEnvironment;
  catalogue: Catalogue;
  implementations: (resources: WorkerResources) => readonly JobImplementation[];
}

/** Makes this process a worker: signals, health server, one line on stdout once it takes jobs. */
export async function runWorker({ env, catalogue, implementations }: RunWorkerOptions): Promise<void> {
  const logger = createLogger({ app: 'worker', level: env.LOG_LEVEL });
  const shutdown = createShutdown({ logger, deadlineMs: env.WORKER_GRACE_MS + CLOSING_MS });

  const redis = connectRedis(env.REDIS_URL, { name: 'worker', logger });
  shutdown.add('redis', () => redis.disconnect());
  await assertRedisSafe(redis);
  const blobs = await openBlobs(env.FAIRLANE_BLOB_STORE, {
    redis: env.REDIS_URL,
    prefix: env.FAIRLANE_PREFIX,
    onError: (error) => logger.warn({ err: error }, 'the blob store or its connection to Redis failed'),
  });
  if (blobs !== undefined) shutdown.add('blobs', () => blobs.close());

  const ledger = openLedger(ledgerChoice(env), (error) => {
    logger.warn({ err: error }, 'the connection to the ledger of effects broke');
  });
  shutdown.add('ledger', () => ledger.close());

  const registry = createMetrics();
  const handlers = implementations({ redis, blobs });
  const left = jobsLeftToOthers(catalogue, handlers, env.WORKER_QUEUES);
  if (left.length > 0) {
    logger.info(
      { jobs: left },
      'jobs left to workers that have what they need: set JOB_<NAME>_URL of a job that calls a URL, FAIRLANE_BLOB_STORE for those with files',
    );
  }
  const worker = createWorkerApp({
    redis: env.REDIS_URL,
    prefix: env.FAIRLANE_PREFIX,
    catalogue,
    implementations: handlers,
    queues: env.WORKER_QUEUES,
    leaseMs: env.WORKER_LEASE_MS,
    graceMs: env.WORKER_GRACE_MS,
    ledger,
    blobs,
    logger,
    registry,
  });
  const health = await createHealthServer({
    host: env.HOST,
    port: env.WORKER_HEALTH_PORT,
    logger,
    healthz: worker.healthz,
    readyz: worker.readyz,
    registry,
  });
  // Last added, first run: health keeps answering while the worker drains.
  shutdown.add('health server', () => health.close());
  shutdown.add('worker', () => worker.stop());
  await worker.start();

  // For whoever started the process, whatever LOG_LEVEL says: the port may have been chosen by the system.
  const ready = { ready: 'worker', pid: process.pid, health: health.url, metrics: `${health.url}/metrics` };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
