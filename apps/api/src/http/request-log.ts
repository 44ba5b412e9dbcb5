import { randomUUID } from 'node:crypto';
import type { Logger } from '@fairlane/runtime';
import { pinoHttp } from 'pino-http';

const requestIdHeader = 'x-request-id';
const quietPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** A line a request: method, path, status, time. Never headers, bodies or query strings. */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    genReqId(request, response) {
      const given = request.headers[requestIdHeader];
      const id = typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
      response.setHeader(requestIdHeader, id);
      return id;
    },
    serializers: {
      req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
        id,
        method,
        path: pathOf(url),
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
    customLogLevel(request, response, error) {
      if (error || response.statusCode >= 500) return 'error';
      return quietPaths.has(pathOf(request.url ?? '')) ? 'debug' : 'info';
    },
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
}

function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, 500);
}
