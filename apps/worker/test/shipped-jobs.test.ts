import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createBlobs, createFileStore, type Blobs } from '@fairlane/blobs';
import { alertDispatch, catalogue, reportImport, webhookDeliver } from '@fairlane/jobs/contracts';
import { createRedisWebhookEndpoints, newWebhookSecret } from '@fairlane/jobs/webhooks';
import { createProducer, type EnqueueResult, type Producer } from '@fairlane/queue';
import { PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runToEnd, startWorker } from './support/worker-process.js';

const redis = useRedis();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const alert = { accountId: 'acme', host: 'db-1', mount: '/', percent: 100, at: '2024-05-01T08:20:30Z' };

let directory: string;
let blobs: Blobs;
let producer: Producer;
let outside: Server;
let url: string;
let received: { path: string; headers: IncomingMessage['headers']; body: string }[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'worker-blobs-'));
  blobs = createBlobs({ store: createFileStore(directory), redis: redis.url, prefix: redis.prefix });
  producer = createProducer({
    redis: redis.url,
    prefix: redis.prefix,
    catalogue,
    blobs,
    logger: silent,
    timeoutMs: PATIENCE_MS,
  });
  received = [];
  outside = createServer((request, response) => void take(request, response));
  outside.listen(0, '127.0.0.1');
  await once(outside, 'listening');
  url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all([blobs.close(), producer.close()]);
  outside.closeAllConnections();
  outside.close();
  await once(outside, 'close');
  await rm(directory, { recursive: true, force: true });
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
  response.end('{}');
}

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    OUTREACH_GATEWAY_URL: url,
    WORKER_LEASE_MS: '5000',
    ...more,
  };
}

function idOf(result: EnqueueResult): string {
  if (result.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
  return result.id;
}

/** The job's view once it has a state. */
async function until(state: string, id: string) {
  await expect.poll(async () => (await producer.job(id))?.state).toBe(state);
  return producer.job(id);
}

async function uploaded(csv: string) {
  const upload = { owner: 'upload', holdMs: 60_000, maxBytes: 1_000 };
  const { source, digest } = await blobs.put(Buffer.from(csv), upload);
  return { accountId: 'acme', source, digest };
}

describe('the shipped worker', () => {
  test('runs alerts, webhooks and imports with what its environment names', async () => {
    const endpoints = createRedisWebhookEndpoints({ client: redis.client, prefix: redis.prefix });
    await endpoints.put({ id: 'main', accountId: 'acme', url: `${url}/hook`, secret: newWebhookSecret() });
    const webhook = {
      accountId: 'acme',
      eventId: 'evt_1',
      url: `${url}/hook`,
      event: 'invoice.paid',
      body: { n: 1 },
    };
    await using _worker = await startWorker(
      'shipped',
      environment({
        INCIDENT_WEBHOOK_URL: `${url}/incidents`,
        WEBHOOK_ALLOW_PRIVATE: 'true',
        FAIRLANE_BLOB_STORE: `file:${directory}`,
      }),
    );
    const alerted = idOf(await producer.enqueue(alertDispatch, alert));
    const delivered = idOf(await producer.enqueue(webhookDeliver, webhook));
    const imported = idOf(await producer.enqueue(reportImport, await uploaded('id\n1\n2,x\n')));

    expect(await until('completed', alerted)).toMatchObject({
      queue: 'critical',
      tag: 'db-1',
      result: { incident: { status: 200 }, summary: { by: 'local' } },
    });
    expect(await until('completed', delivered)).toMatchObject({ queue: 'webhooks', result: { status: 200 } });
    expect(await until('completed', imported)).toMatchObject({
      queue: 'bulk',
      progress: { percent: 100 },
      result: { rows: 1, rejected: 1 },
    });
    expect(received.map(({ path }) => path).toSorted()).toEqual(['/hook', '/incidents']);
    expect(received.find(({ path }) => path === '/hook')).toMatchObject({
      headers: { 'webhook-id': 'evt_1' },
      body: '{"n":1}',
    });
  });

  test('sends webhooks to no address inside unless it is told to', async () => {
    const endpoints = createRedisWebhookEndpoints({ client: redis.client, prefix: redis.prefix });
    await endpoints.put({ id: 'main', accountId: 'acme', url, secret: newWebhookSecret() });
    await using _worker = await startWorker('shipped', environment());
    const payload = { accountId: 'acme', eventId: 'evt_1', url, event: 'e', body: null };
    const view = await until('dead', idOf(await producer.enqueue(webhookDeliver, payload)));
    expect(view?.lastError).toMatchObject({ code: 'rejected', class: 'permanent' });
    expect(received).toEqual([]);
  });

  test('leaves imports to a worker that has the files', async () => {
    const id = idOf(await producer.enqueue(reportImport, await uploaded('id\n1\n')));
    {
      await using _without = await startWorker('shipped', environment());
      expect(await until('held', id)).toMatchObject({ reason: 'no_handler', attempts: { made: 0 } });
    }
    await using _with = await startWorker(
      'shipped',
      environment({ FAIRLANE_BLOB_STORE: `file:${directory}` }),
    );
    await until('completed', id);
  });

  test.each([
    ['SUMMARY_MODEL', { SUMMARY_BASE_URL: 'http://127.0.0.1:1' }],
    ['FAIRLANE_BLOB_STORE', { FAIRLANE_BLOB_STORE: '/var/blobs' }],
    ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'yes' }],
  ])('does not start with a wrong %s', async (variable, more) => {
    const { code, stderr } = await runToEnd(environment(more));
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot start, the environment is wrong. ${variable}: must be`);
  });
});
