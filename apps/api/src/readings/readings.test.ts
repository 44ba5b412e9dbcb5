import { statfs } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { json } from 'node:stream/consumers';
import { createImplementations } from '@fairlane/jobs';
import { catalogue } from '@fairlane/jobs/contracts';
import { createEffectRunner } from '@fairlane/ledger';
import { createConsumer } from '@fairlane/queue';
import { createLogger } from '@fairlane/runtime';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix, catalogue });

const reading = {
  accountId: 'acme',
  host: 'db-1',
  mount: '/var',
  percent: 72.5,
  at: '2024-05-01T08:00:00.000Z',
};
const send = (api: ApiUnderTest, body: object, token = api.tokens.producer) =>
  api.call('POST', '/v1/readings', { body, token });

/** Takes incidents, and answers them or leaves whoever sent them waiting. */
async function startIncidentReceiver({ answers = true } = {}): Promise<{
  url: string;
  incidents: unknown[];
}> {
  const incidents: unknown[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    incidents.push(await json(request));
    if (answers) response.writeHead(202).end('{}');
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/incidents`, incidents };
}

/** A worker with the handlers of the product. */
async function startWorker(api: ApiUnderTest, incidentWebhookUrl: string): Promise<void> {
  const implementations = createImplementations({
    gatewayUrl: 'http://127.0.0.1:1',
    incidentWebhookUrl,
    webhookEndpoints: api.webhookEndpoints,
    allowPrivateTargets: false,
  });
  const consumer = createConsumer({
    redis: redis.url,
    prefix: redis.prefix,
    catalogue,
    implementations,
    queues: { critical: { slots: 2 } },
    graceMs: 100,
    effects: createEffectRunner({ ledger: api.ledger }),
    logger: createLogger({ app: 'test-worker', level: 'silent' }),
  });
  await consumer.start();
  onTestFinished(() => consumer.close());
}

/** How full a file system of this machine is, as `df` says it: of what can be had without being root. */
async function measureDisk(mount: string): Promise<typeof reading> {
  const { blocks, bfree, bavail } = await statfs(mount);
  const used = blocks - bfree;
  const percent = Math.round((used / (used + bavail)) * 1_000) / 10;
  return { accountId: 'acme', host: hostname(), mount, percent, at: new Date().toISOString() };
}

describe('POST /v1/readings', () => {
  it('stores a reading, and raises no alert for a disk with room', async () => {
    const api = await start();
    const { status, json } = await send(api, reading);
    expect([status, json]).toEqual([201, { status: 'stored', alert: null }]);
    expect(await api.readings.latest('acme', 10)).toEqual([reading]);
    expect((await api.call('GET', '/v1/jobs')).json['items']).toEqual([]);
  });

  it('raises one alert a minute and mount for a full disk', async () => {
    const api = await start();
    const first = await send(api, { ...reading, percent: 100 });
    const second = await send(api, { ...reading, percent: 100.1, at: '2024-05-01T08:00:59.000Z' });
    const other = await send(api, { ...reading, percent: 100, mount: '/' });
    const { id } = first.json['alert'] as { id: string };
    expect([first.status, second.status, other.status]).toEqual([201, 201, 201]);
    expect(second.json['alert']).toEqual({ id, status: 'duplicate' });
    expect(other.json['alert']).toMatchObject({ status: 'accepted' });
    expect(await api.readings.latest('acme', 10)).toHaveLength(3);
    expect((await api.call('GET', `/v1/jobs/${id}`)).json).toMatchObject({ name: 'alert.dispatch' });
  });

  it('stores nothing that is wrong, or of an account that is not for the token', async () => {
    const api = await start();
    for (const wrong of [
      { percent: -1 },
      { at: 'today' },
      { host: '' },
      { mount: '/\0' },
      { accountId: 7 },
    ]) {
      const { status, json } = await send(api, { ...reading, ...wrong });
      expect([wrong, status, json['code']]).toEqual([wrong, 422, 'invalid_payload']);
    }
    const foreign = await send(api, { ...reading, percent: 100 }, api.tokens['own-producer']);
    expect([foreign.status, foreign.json['code']]).toEqual([403, 'account_forbidden']);
    expect(await api.readings.latest('acme', 10)).toEqual([]);
    expect((await api.call('GET', '/v1/jobs')).json['items']).toEqual([]);
  });

  it('takes a real reading of this machine, and a full disk reaches whoever is on duty', async () => {
    const api = await start();
    const receiver = await startIncidentReceiver();
    await startWorker(api, receiver.url);
    const measured = await measureDisk('/');
    expect(measured.percent).toBeGreaterThan(0);
    expect(await send(api, measured)).toMatchObject({ status: 201, json: { status: 'stored' } });
    expect(await api.readings.latest('acme', 1)).toEqual([measured]);

    const full = { ...measured, mount: '/full', percent: 100 };
    const { json } = await send(api, full);
    const { id } = json['alert'] as { id: string };
    const job = async () => (await api.call('GET', `/v1/jobs/${id}`)).json;
    await expect.poll(async () => (await job())['state']).toBe('completed');
    expect(receiver.incidents).toMatchObject([{ ...full, event: 'disk.full' }]);
    const { effects, result } = await job();
    expect(effects).toMatchObject([
      { name: 'incident', state: 'done' },
      { name: 'summary', state: 'done' },
    ]);
    expect(result).toMatchObject({ incident: { status: 202 }, summary: { by: 'local' } });
  });

  it('stores 300 readings of full disks while the receiver of incidents answers none', async () => {
    const api = await start();
    const receiver = await startIncidentReceiver({ answers: false });
    await startWorker(api, receiver.url);
    const hosts = Array.from({ length: 300 }, (_none, at) => `db-${at}`);
    const first = await send(api, { ...reading, percent: 100 });
    await expect.poll(() => receiver.incidents.length).toBe(1);
    const answers = await Promise.all(hosts.map((host) => send(api, { ...reading, host, percent: 100 })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const accepted = answers.filter(
      ({ json }) => (json['alert'] as { status: string }).status === 'accepted',
    );
    // One of them is the host of the first.
    expect(accepted).toHaveLength(299);
    const { id } = first.json['alert'] as { id: string };
    // It waits for its answer, or for its next attempt.
    expect((await api.call('GET', `/v1/jobs/${id}`)).json['state']).toMatch(/^(?:active|retrying)$/);
    expect(await api.readings.latest('acme', 500)).toHaveLength(300);
  });
});
