import { request as requestHttp, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { BoardApiTokens, Logger } from '@fairlane/runtime';
import { localsOf } from '../http/locals.js';
import { sendProblem, type ProblemCode } from '../http/problem.js';
import type { Session } from '../log-in/session-store.js';
import { StreamCounts } from './stream-counts.js';

export interface ApiProxyDeps {
  /** Where the HTTP API is. */
  apiUrl: string;
  /** Left out: the console says that it is not connected. */
  apiTokens?: BoardApiTokens;
  logger: Logger;
  /** Of one request; a stream of events must begin within it. */
  answerTimeoutMs?: number;
  /** A stream ends then and is asked for again, so that it does not outlive its log-in by more. */
  maxStreamMs?: number;
  /** Aborted when the process ends: streams would keep it from it. */
  closing?: AbortSignal;
}

/** Settings and filters. Large payloads go to the API itself. */
const maxBodyBytes = 64 * 1024;
const maxUrlLength = 8_000;

const passedToApi = ['accept', 'content-type', 'content-length', 'idempotency-key', 'last-event-id'];
const passedBack = ['content-type', 'content-length', 'content-disposition', 'retry-after', 'x-request-id'];
const readingMethods = new Set(['GET', 'HEAD']);

/**
 * `/api/*`: the API as the role of the session may use it. The browser never holds a token; what a role may
 * not do the API refuses too, whatever this process lets through.
 */
export function createApiProxy(deps: ApiProxyDeps): RequestHandler {
  const streams = new StreamCounts();
  const router = Router();
  router.use((request: Request, response: Response) => {
    const { session } = localsOf(response);
    const refusal = session ? refusalOf(request, deps) : 'unauthenticated';
    if (refusal !== undefined || session === undefined) sendProblem(response, refusal ?? 'unauthenticated');
    else if (request.path !== '/v1/events') forward(request, response, { deps, session, isStream: false });
    else if (streams.take(session.token)) {
      response.once('close', () => streams.giveBack(session.token));
      forward(request, response, { deps, session, isStream: true });
    } else sendProblem(response, 'too_many_streams');
  });
  return router;
}

function refusalOf(request: Request, { apiTokens }: ApiProxyDeps): ProblemCode | undefined {
  // The routes of the product alone; what the API serves besides (its metrics, its pages) stays where it is.
  if (!request.url.startsWith('/v1/') || request.url.length > maxUrlLength) return 'not_found';
  if (apiTokens === undefined) return 'api_not_connected';
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || Number(length ?? 0) > maxBodyBytes) return 'request_too_large';
  return undefined;
}

interface Forwarding {
  deps: ApiProxyDeps;
  session: Session;
  isStream: boolean;
}

function forward(request: Request, response: Response, forwarding: Forwarding): void {
  const { deps, session, isStream } = forwarding;
  const { answerTimeoutMs = 30_000, maxStreamMs = 5 * 60_000 } = deps;
  const requestId = randomUUID();
  const outgoing = openRequest(request, deps, session, requestId);
  // Only until the answer begins: a stream may be silent for long.
  const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), answerTimeoutMs);
  response.once('close', () => {
    clearTimeout(timer);
    outgoing.destroy();
  });
  outgoing.once('error', (error) => {
    clearTimeout(timer);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    deps.logger.warn({ path: request.path, reason: error.message }, 'the API does not answer');
    sendProblem(response, 'api_unavailable');
  });
  outgoing.once('response', (answer) => {
    clearTimeout(timer);
    const status = answer.statusCode ?? 502;
    auditAction(request, deps.logger, { session, status, requestId });
    // Its 401 is about our token. Passed on, the page would ask a person to sign in, in vain.
    if (status === 401) {
      answer.resume();
      deps.logger.error({ role: session.role }, 'the API refuses the token of BOARD_API_TOKENS');
      sendProblem(response, 'api_refuses_token');
      return;
    }
    response.writeHead(status, headersOf(answer.headers, passedBack));
    if (isStream) {
      // A proxy in front must not collect events; the headers alone tell the page that it is connected.
      response.flushHeaders();
      endStream(response, maxStreamMs, deps.closing);
    }
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, outgoing, () => undefined);
}

function endStream(response: Response, afterMs: number, closing: AbortSignal | undefined): void {
  const end = () => response.end();
  const lifetime = setTimeout(end, afterMs);
  closing?.addEventListener('abort', end);
  response.once('close', () => {
    clearTimeout(lifetime);
    closing?.removeEventListener('abort', end);
  });
}

function openRequest(
  request: Request,
  { apiUrl, apiTokens }: ApiProxyDeps,
  session: Session,
  requestId: string,
): ClientRequest {
  const target = new URL(apiUrl);
  const open = target.protocol === 'https:' ? requestHttps : requestHttp;
  return open({
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: target.port,
    method: request.method,
    // As it came, since ids are encoded in it: a parser would take `%2F` and `..` for its own.
    path: `${target.pathname.replace(/\/$/, '')}${request.url}`,
    headers: {
      ...headersOf(request.headers, passedToApi),
      'x-request-id': requestId,
      authorization: `Bearer ${apiTokens?.[session.role] ?? ''}`,
    },
  });
}

function headersOf(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** The API's own audit line names the board's token; this one, of the same request id, the person. */
function auditAction(
  request: Request,
  logger: Logger,
  { session, status, requestId }: { session: Session; status: number; requestId: string },
): void {
  if (readingMethods.has(request.method)) return;
  const { method, path } = request;
  logger.info(
    { audit: true, user: session.user, role: session.role, method, path, status, requestId },
    'asked of the API',
  );
}
