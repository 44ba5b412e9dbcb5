import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobs, createFileStore, type Blobs } from '@fairlane/blobs';
import { createRedisWebhookEndpoints, type WebhookEndpoints } from '@fairlane/jobs/webhooks';
import { createLanes, type Lanes } from '@fairlane/lanes';
import { createRedisLedger, type EffectLedger } from '@fairlane/ledger';
import { createRedisReadings, type Readings } from '@fairlane/ledger/readings';
import {
  createBulkRunner,
  createChangeFeed,
  createOperations,
  createProducer,
  createStatistics,
  type Producer,
} from '@fairlane/queue';
import {
  connectRedis,
  createLogger,
  createMetrics,
  generateToken,
  hashToken,
  redisCheck,
  type TokenRecord,
} from '@fairlane/runtime';
import type { Catalogue } from '@fairlane/sdk';
import { onTestFinished } from 'vitest';
import { createApp } from '../app.js';
import { EventHub } from '../events/event-hub.js';
import { createCancelledCounter } from '../jobs/cancelled-counter.js';
import { BATCH_PRODUCER_LIMITS } from '../limits.js';
import { catalogue as testCatalogue } from './catalogue.js';

export const ROLE_TOKENS = ['producer', 'viewer', 'limits', 'operator'] as const;

export interface ApiUnderTest {
  readonly url: string;
  readonly producer: Producer;
  readonly lanes: Lanes;
  /** In a folder of the test. */
  readonly blobs: Blobs;
  readonly ledger: EffectLedger;
  readonly events: EventHub;
  readonly readings: Readings;
  readonly webhookEndpoints: WebhookEndpoints;
  /** A token of each role, and of each role limited to the account `own`. */
  readonly tokens: Readonly<
    Record<(typeof ROLE_TOKENS)[number] | `own-${(typeof ROLE_TOKENS)[number]}`, string>
  >;
  /** The log lines so far, parsed. */
  readonly log: Record<string, unknown>[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  /** Default: the operator's. `null` sends none. */
  readonly token?: string | null;
  /** Sent as it is when a string or bytes, else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: Record<string, unknown>;
}

const PATIENT_MS = 15_000;

/** The app on a free port around a real producer; everything is closed when the test ends. */
export async function startApi({
  redisUrl,
  prefix,
  catalogue = testCatalogue,
  hasBlobStore = true,
  allowPrivateTargets = false,
  surveyEveryMs = 500,
  timeoutMs = PATIENT_MS,
}: {
  redisUrl: string;
  prefix: string;
  catalogue?: Catalogue;
  hasBlobStore?: boolean;
  allowPrivateTargets?: boolean;
  /** How often the queues are looked at. */
  surveyEveryMs?: number;
  /** How long calls wait for Redis, ms: so long that a busy machine makes none fail, unless this is the point. */
  timeoutMs?: number;
}): Promise<ApiUnderTest> {
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({
    app: 'test',
    level: 'debug',
    destination: { write: (line) => log.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const redis = connectRedis(redisUrl, { name: 'test', logger });
  await once(redis, 'ready');
  const folder = await mkdtemp(join(tmpdir(), 'api-blobs-'));
  const store = createBlobs({ store: createFileStore(folder), redis: redisUrl, prefix });
  const blobs = hasBlobStore ? store : undefined;
  const connection = { redis: redisUrl, catalogue, prefix, blobs, logger };
  const producer = createProducer({ ...connection, timeoutMs });
  const batchProducer = createProducer({ ...connection, ...BATCH_PRODUCER_LIMITS });
  const ledger = createRedisLedger({ redis: redisUrl, prefix });
  const registry = createMetrics();
  const onCancelled = createCancelledCounter(registry);
  const operations = createOperations({ ...connection, timeoutMs, effects: ledger, onCancelled });
  const lanes = createLanes({ connection: redis, prefix });
  const statistics = createStatistics({ ...connection, timeoutMs, surveyEveryMs });
  const changes = createChangeFeed({ ...connection, timeoutMs });
  const bulkRunner = createBulkRunner({
    ...connection,
    onCancelled,
    effects: ledger,
    pollMs: 100,
    onProgress: (id) => void changes.note({ kind: 'operation', id }),
  });
  const events = new EventHub({ feed: changes, logger, everyMs: 100, heartbeatMs: 300 });
  const readings = createRedisReadings({ redis: redisUrl, prefix, timeoutMs });
  const webhookEndpoints = createRedisWebhookEndpoints({ client: redis, prefix });
  const { tokens, records } = makeTokens();
  const app = createApp({
    producer,
    batchProducer,
    operations,
    lanes,
    blobs,
    statistics,
    changes,
    events,
    readings,
    webhookEndpoints,
    allowPrivateTargets,
    catalogue,
    tokens: records,
    logger,
    registry,
    readyz: { redis: redisCheck(redis) },
  });
  const server = createServer({ requestTimeout: 0 }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    const closed = once(server, 'close');
    events.close();
    server.close();
    server.closeAllConnections();
    await closed;
    await bulkRunner.close();
    await producer.close();
    await batchProducer.close();
    await operations.close();
    await statistics.close();
    await changes.close();
    await ledger.close();
    await store.close();
    await readings.close();
    await rm(folder, { recursive: true, force: true });
    redis.disconnect();
  });
  return {
    url,
    producer,
    lanes,
    blobs: store,
    ledger,
    events,
    readings,
    webhookEndpoints,
    tokens,
    log,
    call: caller(url, tokens.operator),
  };
}

function makeTokens(): { tokens: ApiUnderTest['tokens']; records: TokenRecord[] } {
  const tokens: Record<string, string> = {};
  const records: TokenRecord[] = [];
  for (const role of ROLE_TOKENS) {
    for (const [id, accounts] of [
      [role, undefined],
      [`own-${role}`, ['own']],
    ] as const) {
      const token = generateToken();
      tokens[id] = token;
      records.push({
        id,
        tokenHash: hashToken(token),
        role,
        ...(accounts ? { accounts: [...accounts] } : {}),
      });
    }
  }
  return { tokens: tokens as ApiUnderTest['tokens'], records };
}

function caller(url: string, defaultToken: string): ApiUnderTest['call'] {
  return async (method, path, { token = defaultToken, body, headers = {} } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await textOf(response);
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  };
}

/** A stream of events has no end: its beginning is enough. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value as Uint8Array | undefined);
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
