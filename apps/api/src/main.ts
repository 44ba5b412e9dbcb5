import { openBlobs } from '@fairlane/blobs';
import { catalogue } from '@fairlane/jobs/contracts';
import { createRedisWebhookEndpoints } from '@fairlane/jobs/webhooks';
import { createLanes } from '@fairlane/lanes';
import { ledgerChoice, openLedger } from '@fairlane/ledger';
import { openReadings } from '@fairlane/ledger/readings';
import {
  createBulkRunner,
  createChangeFeed,
  createOperations,
  createProducer,
  createStatistics,
} from '@fairlane/queue';
import {
  assertRedisSafe,
  connectRedis,
  createLogger,
  createMetrics,
  createShutdown,
  listen,
  readEnv,
  redisCheck,
  variables,
} from '@fairlane/runtime';
import { createApp } from './app.js';
import { EventHub } from './events/event-hub.js';
import { createApiServer } from './http/api-server.js';
import { createCancelledCounter } from './jobs/cancelled-counter.js';
import { BATCH_PRODUCER_LIMITS, PRODUCER_LIMITS, SHUTDOWN_DEADLINE_MS } from './limits.js';

const { REDIS_URL, FAIRLANE_PREFIX, FAIRLANE_BLOB_STORE, FAIRLANE_LEDGER, DATABASE_URL } = variables;
const { FAIRLANE_TOKENS, WEBHOOK_ALLOW_PRIVATE, API_PORT, HOST, LOG_LEVEL } = variables;
const env = readEnv({
  REDIS_URL,
  FAIRLANE_PREFIX,
  FAIRLANE_BLOB_STORE,
  FAIRLANE_LEDGER,
  DATABASE_URL,
  FAIRLANE_TOKENS,
  WEBHOOK_ALLOW_PRIVATE,
  API_PORT,
  HOST,
  LOG_LEVEL,
});
const logger = createLogger({ app: 'api', level: env.LOG_LEVEL });
const shutdown = createShutdown({ logger, deadlineMs: SHUTDOWN_DEADLINE_MS });

const redis = connectRedis(env.REDIS_URL, { name: 'api', logger });
shutdown.add('redis', () => redis.disconnect());
await assertRedisSafe(redis);

const onLedgerError = (error: unknown) => logger.warn({ err: error }, 'the connection to the ledger broke');
const ledger = openLedger(ledgerChoice(env), onLedgerError);
shutdown.add('ledger', () => ledger.close());
const readings = openReadings(ledgerChoice(env), (error) =>
  logger.warn({ err: error }, 'the store of readings failed'),
);
shutdown.add('readings', () => readings.close());

const blobs = await openBlobs(env.FAIRLANE_BLOB_STORE, {
  redis: env.REDIS_URL,
  prefix: env.FAIRLANE_PREFIX,
  onError: (error) => logger.warn({ err: error }, 'the blob store or its connection to Redis failed'),
});
if (blobs !== undefined) shutdown.add('blobs', () => blobs.close());

const connection = { redis: env.REDIS_URL, catalogue, prefix: env.FAIRLANE_PREFIX, blobs, logger };
const producer = createProducer({ ...connection, ...PRODUCER_LIMITS });
shutdown.add('producer', () => producer.close());
const batchProducer = createProducer({ ...connection, ...BATCH_PRODUCER_LIMITS });
shutdown.add('batch producer', () => batchProducer.close());
const registry = createMetrics();
const onCancelled = createCancelledCounter(registry);
const operations = createOperations({
  ...connection,
  onCancelled,
  timeoutMs: PRODUCER_LIMITS.timeoutMs,
  effects: ledger,
});
shutdown.add('operations', () => operations.close());

const statistics = createStatistics({ ...connection, timeoutMs: PRODUCER_LIMITS.timeoutMs });
shutdown.add('statistics', () => statistics.close());

const changes = createChangeFeed({ ...connection, timeoutMs: PRODUCER_LIMITS.timeoutMs });
shutdown.add('changes', () => changes.close());

const bulkRunner = createBulkRunner({
  ...connection,
  onCancelled,
  effects: ledger,
  onProgress: (id) => void changes.note({ kind: 'operation', id }),
});
shutdown.add('bulk runner', () => bulkRunner.close());
const events = new EventHub({ feed: changes, logger });

let stopping = false;
const app = createApp({
  producer,
  batchProducer,
  operations,
  lanes: createLanes({ connection: redis, prefix: env.FAIRLANE_PREFIX }),
  statistics,
  changes,
  events,
  blobs,
  readings,
  webhookEndpoints: createRedisWebhookEndpoints({ client: redis, prefix: env.FAIRLANE_PREFIX }),
  allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE,
  catalogue,
  tokens: env.FAIRLANE_TOKENS,
  logger,
  // A write for each of these lines took a twentieth of the time of an enqueue.
  requestLogger: createLogger({ app: 'api', level: env.LOG_LEVEL, gather: true }),
  registry,
  readyz: {
    redis: redisCheck(redis),
    ledger: checkLedger,
    process: () => (stopping ? 'shutting down' : undefined),
  },
});

const server = createApiServer(app);
shutdown.add('server', () => {
  stopping = true;
  return new Promise((resolve) => server.close(resolve));
});
// Added after the server, so ended before it: it waits for its connections.
shutdown.add('events', () => events.close());
const { address, port } = await listen(server, {
  host: env.HOST,
  port: env.API_PORT,
  portVariable: 'API_PORT',
});
logger.info({ address, port }, 'listening');

/** Job views show effects, so without their ledger there are none to show. */
async function checkLedger(): Promise<string | undefined> {
  try {
    await ledger.check();
    return undefined;
  } catch (error) {
    logger.warn({ err: error }, 'the ledger cannot be used');
    return 'the ledger of effects cannot be used: is it reachable, and migrated?';
  }
}
