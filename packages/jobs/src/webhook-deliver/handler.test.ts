import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestJob } from '@fairlane/sdk/testing';
import { useRedis } from '@fairlane/testkit/vitest';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEndpoint, WebhookEndpoints } from './endpoints.js';
import { createWebhookDeliver } from './handler.js';
import { createRedisWebhookEndpoints } from './redis-endpoints.js';
import { newWebhookSecret } from './signature.js';

/** Real payloads of GitHub. The package is JSON, which an import would need an attribute for. */
const examples = createRequire(import.meta.url)('@octokit/webhooks-examples') as WebhookDefinition[];
const events = examples.flatMap(({ name, examples: [body] }) =>
  body === undefined ? [] : [{ event: name, body }],
);

const redis = useRedis();
const secret = newWebhookSecret();

let receiver: Server;
let url: string;
let received: { headers: IncomingMessage['headers']; body: string }[];
/** Statuses the receiver answers with, in order; then 204. 0 cuts the connection. */
let answers: number[];
let extra: (response: ServerResponse) => void;

let endpoints: WebhookEndpoints;
let endpoint: WebhookEndpoint;

beforeAll(async () => {
  receiver = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push({ headers: request.headers, body: await text(request) });
  const status = answers.shift() ?? 204;
  extra(response);
  if (status === 0) request.socket.destroy();
  else response.writeHead(status).end();
}

beforeEach(async () => {
  received = [];
  answers = [];
  extra = () => undefined;
  endpoints = createRedisWebhookEndpoints({ client: redis.client, prefix: redis.prefix });
  endpoint = { id: 'main', accountId: 'acme', url, secret };
  await endpoints.put(endpoint);
});

afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => {
    receiver.close(resolve);
  });
});

function delivery(changes: object = {}, allowPrivate = true) {
  const handler = createWebhookDeliver({ endpoints, allowPrivate, timeoutMs: 2_000 });
  const payload = { accountId: 'acme', eventId: 'evt_1', url, event: 'invoice.paid', body: { a: 1 } };
  return createTestJob(handler, { ...payload, ...changes });
}

describe('webhook.deliver', () => {
  it.each(events)(
    "delivers GitHub's $event so that the receivers' own library takes it",
    async ({ event, body }) => {
      const job = delivery({ event, body });
      expect(await job.run()).toBe('completed');
      expect(job).toMatchObject({ result: { status: 204 }, info: { tag: event, limitGroup: 'webhook' } });
      const [message] = received;
      const headers = message?.headers as Record<string, string>;
      expect(new Webhook(secret).verify(message?.body ?? '', headers)).toEqual(body);
      expect(headers).toMatchObject({
        'webhook-id': 'evt_1',
        'webhook-event': event,
        'content-type': 'application/json',
      });
    },
  );

  it.each([
    ['text', '{"already":"JSON"}', '{"already":"JSON"}'],
    ['a list', [1, null, 'x'], '[1,null,"x"]'],
    ['null', null, 'null'],
  ])('sends %s', async (_what, body, sent) => {
    await delivery({ body }).run();
    expect(received.map((one) => one.body)).toEqual([sent]);
  });

  it('sends again under the same id when the answer was lost', async () => {
    answers = [0, 0];
    const job = delivery();
    expect(await job.run()).toBe('completed');
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1', 'evt_1']);
  });

  it('is not sent again after a crash at the end', async () => {
    const job = delivery().crashAt('before_finish');
    expect(await job.run()).toBe('completed');
    expect(received).toHaveLength(1);
  });

  it.each([500, 502, 503, 504, 408])('takes %i for "send it again"', async (status) => {
    answers = [status];
    const job = delivery();
    expect(await job.runAttempt()).toBe('retrying');
    expect(job.lastError).toMatchObject({ status, applied: 'no' });
    expect(await job.run()).toBe('completed');
  });

  it('waits as long as a receiver that is too busy asks for', async () => {
    answers = [429];
    extra = (response) => response.setHeader('retry-after', '40');
    const job = delivery();
    expect(await job.run()).toBe('completed');
    expect(job).toMatchObject({ attempts: { made: 1 }, delaysMs: [40_000] });
  });

  it('follows no redirect', async () => {
    answers = [302];
    extra = (response) => response.setHeader('location', 'http://127.0.0.1:1/');
    const job = delivery();
    expect(await job.run()).toBe('dead');
    expect(job.lastError).toMatchObject({
      status: 302,
      reason: 'The endpoint answered 302: redirects are not followed.',
    });
    expect(received).toHaveLength(1);
  });

  it('disables an endpoint that answers 410, and sends it nothing more', async () => {
    answers = [410];
    const job = delivery();
    expect(await job.run()).toBe('dead');
    expect(job.deadCode).toBe('target_gone');
    expect((await endpoints.get('main'))?.disabled).toEqual({
      reason: 'The receiver answered 410: it takes no more webhooks here.',
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });

    job.replay();
    expect(await job.run()).toBe('dead');
    expect(job.lastError?.reason).toContain('The endpoint is disabled: The receiver answered 410');
    expect(received).toHaveLength(1);
  });

  it('leaves an endpoint enabled that answers 404', async () => {
    answers = [404];
    expect(await delivery().run()).toBe('dead');
    expect((await endpoints.get('main'))?.disabled).toBeUndefined();
  });

  it('goes to no URL that the account has not registered', async () => {
    const job = delivery({ url: `${url}/other` });
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: 'target_gone', attempts: { made: 1 } });
    expect(received).toEqual([]);
  });

  it('goes to no address inside, though it is registered', async () => {
    const job = delivery({}, false);
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: 'rejected', attempts: { made: 1 } });
    expect(job.lastError?.reason).toContain('127.0.0.1 is this machine');
    expect(received).toEqual([]);
  });

  it.each([
    ['an id that no header can carry', { eventId: 'a\nb' }],
    ['an id in another script', { eventId: 'ереиод' }],
    ['another protocol', { url: 'ftp://example.com/' }],
    ['no URL', { url: '/hook' }],
  ])('refuses %s when it is enqueued', (_what, changes) => {
    expect(() => delivery(changes)).toThrow('refused');
  });
});
