import { variables, type Environment } from '@fairlane/runtime';
import type { Catalogue } from '@fairlane/sdk';
import { queueSlots } from './queue-slots.js';

/** Variables of every worker, whatever jobs it runs. */
export function workerVariables(catalogue: Catalogue) {
  const { REDIS_URL, FAIRLANE_PREFIX, FAIRLANE_LEDGER, DATABASE_URL, FAIRLANE_BLOB_STORE } = variables;
  const { HOST, LOG_LEVEL } = variables;
  const { WORKER_LEASE_MS, WORKER_GRACE_MS, WORKER_HEALTH_PORT } = variables;
  const WORKER_QUEUES = queueSlots(catalogue);
  return {
    REDIS_URL,
    FAIRLANE_PREFIX,
    FAIRLANE_BLOB_STORE,
    FAIRLANE_LEDGER,
    DATABASE_URL,
    HOST,
    LOG_LEVEL,
    WORKER_QUEUES,
    WORKER_LEASE_MS,
    WORKER_GRACE_MS,
    WORKER_HEALTH_PORT,
  };
}

export type WorkerEnvironment = Environment<ReturnType<typeof workerVariables>>;
