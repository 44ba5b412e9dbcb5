import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { classifyError } from '@fairlane/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardedPost, type GuardedPost } from './guarded-post.js';
import type { Resolve } from './target.js';

let server: Server;
let port: number;
let requests: number;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
});

beforeEach(() => {
  requests = 0;
  answer = (_request, response) => response.end('ok');
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function post(changes: Partial<GuardedPost> = {}) {
  return guardedPost({
    url: `http://127.0.0.1:${port}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{"text":"größer"}',
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    allowPrivate: true,
    ...changes,
  });
}

function resolvingTo(...addresses: string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: 4 }));
}

async function failureOf(action: Promise<unknown>) {
  const error: unknown = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return classifyError(error);
}

describe('a guarded post', () => {
  it('hands over method, headers and body, and gives status and headers back', async () => {
    const seen: unknown[] = [];
    answer = async (request, response) => {
      const { method, url, headers } = request;
      seen.push(method, url, headers['content-type'], headers.host, await text(request));
      response.writeHead(202, { 'Retry-After': '7' }).end('ok');
    };
    const { status, headers } = await post();
    expect(status).toBe(202);
    expect([headers.get('retry-after'), headers.get('Retry-After'), headers.get('x-none')]).toEqual([
      '7',
      '7',
      null,
    ]);
    expect(seen).toEqual(['POST', '/hook', 'application/json', `127.0.0.1:${port}`, '{"text":"größer"}']);
  });

  it('sends nothing to a target inside', async () => {
    expect(await failureOf(post({ allowPrivate: false }))).toMatchObject({ code: 'rejected', applied: 'no' });
    expect(requests).toBe(0);
  });

  it('goes to the address that was checked, though the name has another one a moment later', async () => {
    const answers = ['127.0.0.1', '127.0.0.9', '169.254.169.254'];
    const resolve = async () => [{ address: answers.shift() ?? '', family: 4 as const }];
    const { status } = await post({ url: `http://rebinding.test:${port}/`, resolve });
    expect(status).toBe(200);
    expect(answers).toHaveLength(2);
  });

  it('asks anew for the next request', async () => {
    const answers = ['127.0.0.1', '169.254.169.254'];
    const resolve = async () => [{ address: answers.shift() ?? '', family: 4 as const }];
    const url = `http://rebinding.test:${port}/`;
    await post({ url, resolve });
    await expect(post({ url, resolve, allowPrivate: false })).rejects.toThrow(
      '169.254.169.254, which is link-local',
    );
    expect(requests).toBe(1);
  });

  it('tries the next address when one does not answer', async () => {
    const resolve = resolvingTo('127.0.0.9', '127.0.0.1');
    expect((await post({ url: `http://two.test:${port}/`, resolve })).status).toBe(200);
  });

  it('follows no redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    expect((await post()).status).toBe(307);
    expect(requests).toBe(1);
  });

  it('takes no proxy from the environment', async () => {
    const before = process.env['HTTP_PROXY'];
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    try {
      expect((await post()).status).toBe(200);
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
    }
  });

  it('R14 lets only so much of an answer pass', async () => {
    const closed = new Promise((resolve) => {
      answer = (_request, response) => {
        response.once('close', resolve);
        const more = () => response.write('x'.repeat(16_384)) && setImmediate(more);
        response.on('drain', more);
        more();
      };
    });
    expect((await post()).status).toBe(200);
    await closed;
  });

  it('R14 waits only so long for the rest of an answer', async () => {
    answer = (_request, response) => response.writeHead(200).write('x');
    const startedAt = performance.now();
    expect((await post({ timeoutMs: 60_000 })).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('takes an answer that breaks off after its status', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x', () => request.socket.destroy());
    };
    expect((await post()).status).toBe(200);
  });

  it.each([
    ['nothing', () => undefined],
    ['half a status line', (request: IncomingMessage) => request.socket.write('HTTP/1.1 20')],
    [
      'an endless run of headers',
      (request: IncomingMessage) => request.socket.write('HTTP/1.1 200 OK\r\nx: '),
    ],
  ])('gives up after its time: %s', async (_what, answered) => {
    answer = answered;
    expect(await failureOf(post({ timeoutMs: 50 }))).toMatchObject({ code: 'timeout', applied: 'unknown' });
  });

  it('R14 takes only so many headers', async () => {
    answer = (request) => request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(await failureOf(post())).toMatchObject({ code: 'connection_lost', applied: 'unknown' });
  });

  it('gives up on a resolver that does not answer', async () => {
    const resolve = vi.fn<Resolve>(() => new Promise(() => undefined));
    expect(await failureOf(post({ url: 'http://slow.test/', resolve, timeoutMs: 20 }))).toMatchObject({
      code: 'timeout',
    });
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    expect((await failureOf(post({ signal: stop.signal }))).code).toBe('aborted');
    expect((await failureOf(post({ signal: stop.signal }))).code).toBe('aborted');
  });

  it('knows that nothing was sent when nobody listens', async () => {
    expect(await failureOf(post({ url: 'http://127.0.0.1:1/' }))).toMatchObject({
      code: 'connect_failed',
      applied: 'no',
    });
  });

  it('does not know it when the connection is cut', async () => {
    answer = (request) => request.socket.destroy();
    expect(await failureOf(post())).toMatchObject({ code: 'connection_lost', applied: 'unknown' });
  });
});
