import { createServer, type RequestListener, type Server } from 'node:http';
import { HEADERS_TIMEOUT_MS, IDLE_CONNECTION_MS } from '../limits.js';

export interface ServerBounds {
  readonly idleMs: number;
  readonly headersMs: number;
}

const BOUNDS: ServerBounds = { idleMs: IDLE_CONNECTION_MS, headersMs: HEADERS_TIMEOUT_MS };

/**
 * The HTTP server around the app. No limit on the time of a whole request, since a batch may stream for hours; idle
 * connections are cut, and those whose headers do not end.
 */
export function createApiServer(app: RequestListener, { idleMs, headersMs }: ServerBounds = BOUNDS): Server {
  // Node takes the lower of its own bound on headers and that on requests, so none at all where it is not named.
  const options = {
    requestTimeout: 0,
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / 2,
  };
  const server = createServer(options, app);
  server.timeout = idleMs;
  return server;
}
