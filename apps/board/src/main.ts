import { createServer } from 'node:http';
import { catalogue } from '@fairlane/jobs/contracts';
import { ledgerChoice, openLedger } from '@fairlane/ledger';
import { createOperations, openQueues } from '@fairlane/queue';
import {
  assertRedisSafe,
  connectRedis,
  createLogger,
  createShutdown,
  listen,
  readEnv,
  redisCheck,
  variables,
} from '@fairlane/runtime';
import { z } from 'zod';
import { createBoardApp } from './app.js';
import { readConsoleFiles } from './console/console-files.js';
import { isBasePath } from './http/base-path.js';
import { payloadRules } from './queues/payload-rules.js';
import { replayJob } from './queues/replay-job.js';

const SHUTDOWN_DEADLINE_MS = 10_000;

const { REDIS_URL, FAIRLANE_PREFIX, FAIRLANE_LEDGER, DATABASE_URL } = variables;
const { BOARD_PORT, BOARD_USERS, FAIRLANE_API_URL, BOARD_API_TOKENS, HOST, LOG_LEVEL } = variables;
const env = readEnv({
  REDIS_URL,
  FAIRLANE_PREFIX,
  FAIRLANE_LEDGER,
  DATABASE_URL,
  BOARD_PORT,
  BOARD_USERS,
  FAIRLANE_API_URL,
  BOARD_API_TOKENS,
  BOARD_TITLE: z.string().max(60).optional(),
  BASE_PATH: z.string().refine(isBasePath, 'must be a path such as /tools/fairlane').optional(),
  HOST,
  LOG_LEVEL,
});
const logger = createLogger({ app: 'board', level: env.LOG_LEVEL });
const shutdown = createShutdown({ logger, deadlineMs: SHUTDOWN_DEADLINE_MS });

const redis = connectRedis(env.REDIS_URL, { name: 'board', logger });
shutdown.add('redis', () => redis.disconnect());
await assertRedisSafe(redis);

const queues = openQueues({ redis: env.REDIS_URL, catalogue, prefix: env.FAIRLANE_PREFIX, logger });
shutdown.add('queues', () => Promise.all(queues.map((queue) => queue.close())));

const onLedgerError = (error: unknown) => logger.warn({ err: error }, 'the connection to the ledger broke');
const ledger = openLedger(ledgerChoice(env), onLedgerError);
shutdown.add('ledger', () => ledger.close());
const operations = createOperations({
  redis: env.REDIS_URL,
  catalogue,
  prefix: env.FAIRLANE_PREFIX,
  effects: ledger,
  logger,
});
shutdown.add('operations', () => operations.close());

let stopping = false;
const closing = new AbortController();
const app = createBoardApp({
  redis,
  prefix: env.FAIRLANE_PREFIX,
  users: env.BOARD_USERS,
  ...(env.BASE_PATH === undefined ? {} : { basePath: env.BASE_PATH }),
  queues,
  rules: payloadRules(catalogue),
  replay: (_queue, id) => replayJob(operations, id),
  apiUrl: env.FAIRLANE_API_URL,
  ...(env.BOARD_API_TOKENS === undefined ? {} : { apiTokens: env.BOARD_API_TOKENS }),
  closing: closing.signal,
  files: readConsoleFiles(),
  ...(env.BOARD_TITLE === undefined ? {} : { deploymentName: env.BOARD_TITLE }),
  logger,
  readyz: { redis: redisCheck(redis), process: () => (stopping ? 'shutting down' : undefined) },
});

const server = createServer(app);
shutdown.add('server', () => {
  stopping = true;
  closing.abort();
  server.closeIdleConnections();
  return new Promise((resolve) => server.close(resolve));
});
const { port } = await listen(server, {
  host: env.HOST,
  port: env.BOARD_PORT,
  portVariable: 'BOARD_PORT',
});
const host = env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST;
// For whoever started the process, whatever LOG_LEVEL says: the port may have been chosen by the system.
process.stdout.write(
  `${JSON.stringify({ ready: 'board', pid: process.pid, url: `http://${host}:${port}` })}\n`,
);
