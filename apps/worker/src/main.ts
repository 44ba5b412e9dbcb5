import { once } from 'node:events';
import { createImplementations } from '@fairlane/jobs';
import { catalogue } from '@fairlane/jobs/contracts';
import {
  assertRedisSafe,
  connectRedis,
  createHealthServer,
  createLogger,
  createMetrics,
  createShutdown,
  readEnv,
  variables,
} from '@fairlane/runtime';
import { queueSlots } from './queue-slots.js';
import { createWorkerApp } from './worker.js';

/** Beyond the grace period, for giving jobs back and closing connections. */
const CLOSING_MS = 10_000;

const { REDIS_URL, FAIRLANE_PREFIX, HOST, LOG_LEVEL, OUTREACH_GATEWAY_URL } = variables;
const { WORKER_LEASE_MS, WORKER_GRACE_MS, WORKER_HEALTH_PORT } = variables;
const env = readEnv({
  REDIS_URL,
  FAIRLANE_PREFIX,
  HOST,
  LOG_LEVEL,
  OUTREACH_GATEWAY_URL,
  WORKER_QUEUES: queueSlots(catalogue),
  WORKER_LEASE_MS,
  WORKER_GRACE_MS,
  WORKER_HEALTH_PORT,
});
const logger = createLogger({ app: 'worker', level: env.LOG_LEVEL });
const shutdown = createShutdown({ logger, deadlineMs: env.WORKER_GRACE_MS + CLOSING_MS });

const redis = connectRedis(env.REDIS_URL, { name: 'worker', logger });
shutdown.add('redis', () => redis.disconnect());
await once(redis, 'ready');
await assertRedisSafe(redis);

const registry = createMetrics();
const worker = createWorkerApp({
  redisUrl: env.REDIS_URL,
  prefix: env.FAIRLANE_PREFIX,
  catalogue,
  implementations: createImplementations({ gatewayUrl: env.OUTREACH_GATEWAY_URL }),
  queues: env.WORKER_QUEUES,
  leaseMs: env.WORKER_LEASE_MS,
  graceMs: env.WORKER_GRACE_MS,
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
process.stdout.write(
  `${JSON.stringify({ ready: 'worker', pid: process.pid, health: health.url, metrics: `${health.url}/metrics` })}\n`,
);
