import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import { Callers } from './callers.js';
import type { Answer, Outcome, Platform } from './platform.js';
import { accountPatchesSchema } from './protocol.js';
import { readJson } from './request-body.js';

const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_ACCOUNTS_BYTES = 8 * 1024 * 1024;

/** A stalled request ends when its caller gives up; one that never does must not hold a socket for ever. */
const MAX_STALL_MS = 600_000;

/**
 * Longer than any client keeps an idle connection. A server that closes first races the next request, and
 * the caller would see a reset, an unknown outcome, for a request that never arrived here.
 */
const KEEP_ALIVE_MS = 600_000;

export interface SandboxServerOptions {
  /** Time between applying a message and answering. */
  latencyMs: number;
}

export function createSandboxServer(platform: Platform, options: SandboxServerOptions): Server {
  const callers = new Callers((body) => platform.hungUp(body));
  const server = createServer((request, response) => {
    handle(platform, callers, options, request, response).catch((error: unknown) => {
      // The caller went away while sending: there is nobody to answer.
      if (request.destroyed) return;
      reply(response, { status: 500, body: { code: 'sandbox_defect', detail: String(error) } });
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  return server;
}

async function handle(
  platform: Platform,
  callers: Callers,
  { latencyMs }: SandboxServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const route = `${request.method} ${url.pathname}`;

  if (route === 'GET /accounts') return reply(response, { status: 200, body: platform.accounts() });
  if (route === 'POST /accounts') return reply(response, await setAccounts(platform, request));
  if (route === 'GET /report') {
    const full = url.searchParams.get('full') === '1';
    return reply(response, { status: 200, body: platform.report(full) });
  }
  const account = accountOfMessages(url.pathname);
  if (account !== undefined && request.method === 'GET') {
    return reply(response, find(platform, account, url.searchParams.get('reference')));
  }
  if (account !== undefined && request.method === 'POST') {
    const { socket } = request;
    const { outcome, body } = await send(platform, account, request);
    response.once('close', () => {
      if (response.writableFinished) callers.answered(socket, body);
      else platform.undelivered(body);
    });
    if (latencyMs > 0) await delay(latencyMs);
    return finish(request, response, outcome);
  }
  return reply(response, { status: 404, body: { code: 'no_such_path' } });
}

async function send(
  platform: Platform,
  account: string,
  request: IncomingMessage,
): Promise<{ outcome: Outcome; body: unknown }> {
  platform.arrive(account, nowMs());
  const body = await readJson(request, MAX_MESSAGE_BYTES);
  if (!body.ok) return { outcome: { status: body.status, body: { code: body.code } }, body: undefined };
  const header = request.headers['idempotency-key'];
  const key = Array.isArray(header) ? header[0] : header;
  return { outcome: platform.send(account, key, body.value, nowMs()), body: body.value };
}

function find(platform: Platform, account: string, reference: string | null): Answer {
  if (reference === null) return { status: 400, body: { code: 'reference_missing' } };
  return platform.find(account, reference, nowMs());
}

async function setAccounts(platform: Platform, request: IncomingMessage): Promise<Answer> {
  const body = await readJson(request, MAX_ACCOUNTS_BYTES);
  if (!body.ok) return { status: body.status, body: { code: body.code } };
  const parsed = accountPatchesSchema.safeParse(body.value);
  if (!parsed.success) {
    return { status: 422, body: { code: 'invalid_account', issues: parsed.error.issues } };
  }
  const patches = parsed.data;
  if (Array.isArray(patches)) {
    return { status: 200, body: patches.map((patch) => platform.setAccount(patch, nowMs())) };
  }
  return { status: 200, body: platform.setAccount(patches, nowMs()) };
}

function finish(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
  if (outcome === 'cut') {
    request.socket.destroy();
    return;
  }
  if (outcome === 'stall') {
    const timer = setTimeout(() => request.socket.destroy(), MAX_STALL_MS);
    response.once('close', () => clearTimeout(timer));
    return;
  }
  reply(response, outcome);
}

function reply(response: ServerResponse, answer: Answer): void {
  const body = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }),
    // What is left of a body that was too large must not be read as the next request.
    ...(answer.status === 413 ? { connection: 'close' } : {}),
  });
  response.end(body);
}

/** `/accounts/{account}/messages`, or undefined for any other path. */
function accountOfMessages(pathname: string): string | undefined {
  const encoded = /^\/accounts\/([^/]+)\/messages$/.exec(pathname)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Since the epoch, as an HTTP date needs it, yet never stepping back. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
