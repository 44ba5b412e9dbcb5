import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { classifyError } from '@fairlane/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGatewayClient, type GatewayClient } from './gateway-client.js';

const message = {
  accountId: 'acme / north',
  leadId: 'lead-1',
  step: 2,
  campaignRev: 'r3',
  channel: 'email',
  to: 'ann@example.com',
  body: 'Hello',
};

let server: Server;
let url: string;
let gateway: GatewayClient;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  gateway = createGatewayClient({ url: `${url}/` });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

/** Of a server that was closed again. */
async function closedUrl(): Promise<string> {
  const closed = createServer();
  await new Promise<void>((resolve) => {
    closed.listen(0, '127.0.0.1', resolve);
  });
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => {
    closed.close(resolve);
  });
  return `http://127.0.0.1:${port}`;
}

function call(signal = new AbortController().signal) {
  return { reference: 'ref-1', idempotencyKey: 'ref-1:send', signal };
}

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
}

async function failureOf(action: Promise<unknown>) {
  const error: unknown = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { class: errorClass, code, applied, reason, retryAfterMs } = classifyError(error);
  return { class: errorClass, code, applied, reason, retryAfterMs };
}

describe('sending', () => {
  it('posts the message with its reference and idempotency key, and nothing else', async () => {
    const seen: unknown[] = [];
    answer = async (request, response) => {
      const { method, url: path, headers } = request;
      seen.push(method, path, headers['idempotency-key'], JSON.parse(await text(request)));
      response.end('{"id":"m1"}');
    };
    const withMore = { ...message, campaign: 'spring' };
    expect(await gateway.send(withMore, call())).toEqual({ id: 'm1' });
    const { accountId: _accountId, ...fields } = message;
    expect(seen).toEqual([
      'POST',
      '/accounts/acme%20%2F%20north/messages',
      'ref-1:send',
      { reference: 'ref-1', ...fields },
    ]);
  });

  it.each([
    [401, 'permanent unauthorized no'],
    [403, 'permanent unauthorized no'],
    [404, 'permanent target_gone no'],
    [410, 'permanent target_gone no'],
    [422, 'permanent rejected no'],
    [429, 'throttled throttled no'],
    [500, 'retryable remote_error unknown'],
    [502, 'retryable remote_error unknown'],
    [503, 'retryable remote_unavailable no'],
    [504, 'retryable timeout unknown'],
  ])('turns %i into an error that says what to do', async (status, expected) => {
    answering(status, 'details', { 'retry-after': '3' });
    const found = await failureOf(gateway.send(message, call()));
    expect(`${found.class} ${found.code} ${found.applied}`).toBe(expected);
    expect(found).toMatchObject({ reason: `the outreach platform answered ${status}`, retryAfterMs: 3_000 });
  });

  it.each([
    ['no JSON', 'oops'],
    ['no id', '{}'],
    ['an endless answer', `{"id":"${'x'.repeat(200_000)}"}`],
  ])('does not take a 200 with %s for a failure that is certain', async (_what, body) => {
    answering(200, body);
    const found = await failureOf(gateway.send(message, call()));
    expect(found).toMatchObject({ class: 'retryable', applied: 'unknown' });
  });

  it('R14 does not read on in an answer beyond its bound', async () => {
    let closed: Promise<unknown> | undefined;
    answer = (_request, response) => {
      closed = new Promise((resolve) => {
        response.once('close', resolve);
      });
      const more = () => response.write('x'.repeat(16_384)) && setImmediate(more);
      response.on('drain', more);
      more();
    };
    expect((await failureOf(gateway.send(message, call()))).reason).toContain('more than 65536 bytes');
    await closed;
  });

  it('does not follow a redirect, which could carry the message elsewhere', async () => {
    answering(307, '', { location: '/accounts/other/messages' });
    expect((await failureOf(gateway.send(message, call()))).applied).toBe('unknown');
  });

  it('gives up after its time', async () => {
    answer = () => undefined;
    const impatient = createGatewayClient({ url, timeoutMs: 20 });
    expect(await failureOf(impatient.send(message, call()))).toMatchObject({
      code: 'timeout',
      applied: 'unknown',
    });
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    expect((await failureOf(gateway.send(message, call(stop.signal)))).code).toBe('aborted');
  });

  it('knows that nothing was sent when nobody listens', async () => {
    const nowhere = createGatewayClient({ url: await closedUrl() });
    expect((await failureOf(nowhere.send(message, call()))).applied).toBe('no');
  });
});

describe('asking', () => {
  it('asks by the reference', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      seen.push(request.method, request.url);
      response.end('{"id":"m1"}');
    };
    expect(await gateway.find('acme', { ...call(), reference: 'a b&c' })).toEqual({ id: 'm1' });
    expect(seen).toEqual(['GET', '/accounts/acme/messages?reference=a%20b%26c']);
  });

  it('takes 404 for "no", 405 for "can never be told", the rest for "cannot tell now"', async () => {
    answering(404, '');
    expect(await gateway.find('acme', call())).toBeUndefined();
    answering(405, '');
    expect((await failureOf(gateway.find('acme', call()))).code).toBe('unknown_outcome');
    answering(503, '');
    expect((await failureOf(gateway.find('acme', call()))).code).toBe('remote_unavailable');
  });
});
