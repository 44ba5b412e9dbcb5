import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { runChecks, type Checks } from './checks.js';
import { listen } from './listen.js';
import { describeError, type Logger } from './logger.js';

export interface HealthServerOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  logger: Logger;
  /** `/healthz`: a failure means that only a restart helps. */
  healthz?: Checks;
  /** `/readyz`: a failure means no traffic for now. */
  readyz?: Checks;
  /** `/metrics`. */
  registry?: Registry;
}

export interface HealthServer {
  /** Such as `http://127.0.0.1:3002`. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Serves `/healthz`, `/readyz` and `/metrics` of a process that has no HTTP server of its own. */
export async function createHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, logger, healthz = {}, readyz = {}, registry } = options;

  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/healthz') return answerChecks(response, healthz);
    if (path === '/readyz') return answerChecks(response, readyz);
    if (path === '/metrics' && registry) {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      return;
    }
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":"not found"}\n');
  }

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    answer(path, response).catch((error: unknown) => {
      logger.error({ path, error: describeError(error) }, 'health request failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.requestTimeout = 10_000;
  const bound = await listen(server, { host, port, portVariable: 'WORKER_HEALTH_PORT' });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    port: bound.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function answerChecks(response: ServerResponse, checks: Checks): Promise<void> {
  const report = await runChecks(checks);
  const body = { status: report.ok ? 'ok' : 'failing', checks: report.checks };
  response
    .writeHead(report.ok ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(`${JSON.stringify(body)}\n`);
}
