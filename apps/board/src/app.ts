import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { runChecks, type BoardUser, type Checks } from '@fairlane/runtime';
import { createApiProxy, type ApiProxyDeps } from './console/api-proxy.js';
import { createConsolePages, type ConsolePagesDeps } from './console/console-pages.js';
import { resolveBasePath } from './http/base-path.js';
import { localsOf } from './http/locals.js';
import { answerErrors, notFound } from './http/problem.js';
import { securityHeaders } from './http/security-headers.js';
import {
  loadSession,
  refuseCrossSite,
  requireCsrfToken,
  requireOperatorToAct,
  requireSession,
} from './log-in/guards.js';
import { askToLogOut, logIn, logOut, parseForm } from './log-in/log-in.js';
import { SessionStore } from './log-in/session-store.js';
import { createQueuesBoard, type QueuesBoardDeps } from './queues/queues-board.js';

export interface BoardDeps extends QueuesBoardDeps, ConsolePagesDeps, ApiProxyDeps {
  users: readonly BoardUser[];
  /** Of all keys in Redis. */
  prefix: string;
  /** Path under which a proxy serves the board; left out: `X-Forwarded-Prefix`, else the root. */
  basePath?: string;
  readyz: Checks;
}

/** The board as an Express app; the caller listens. */
export function createBoardApp(deps: BoardDeps): Express {
  const sessions = new SessionStore(deps.redis, deps.prefix, deps.users);
  const { users, logger } = deps;
  const app = express();
  app.disable('x-powered-by');
  // A proxy is taken at its word when it stands in a private network.
  app.set('trust proxy', ['loopback', 'linklocal', 'uniquelocal']);
  app.set('query parser', 'simple');

  app.use(resolveBasePath(deps.basePath));
  app.use(securityHeaders());
  app.get('/healthz', answerChecks({}));
  app.get('/readyz', answerChecks(deps.readyz));

  app.use(refuseCrossSite());
  app.use(loadSession(sessions));
  app.post('/login', logIn({ users, sessions, logger }));
  app.use(requireSession());
  app.use(noStore());

  app.use('/logout', parseForm);
  app.use(requireCsrfToken());
  app.get('/logout', askToLogOut);
  app.post('/logout', logOut({ sessions, logger }));
  app.use(requireOperatorToAct());
  app.get('/login', (_request: Request, response: Response) => {
    response.redirect(302, `${localsOf(response).basePath}/`);
  });
  app.use('/queues', createQueuesBoard(deps));
  app.use('/api', createApiProxy(deps));
  app.use(createConsolePages(deps));
  app.use(notFound());
  app.use(answerErrors(logger));
  return app;
}

function answerChecks(checks: Checks): RequestHandler {
  return async (_request: Request, response: Response) => {
    const report = await runChecks(checks);
    response
      .status(report.ok ? 200 : 503)
      .set('cache-control', 'no-store')
      .json({ status: report.ok ? 'ok' : 'failing', checks: report.checks });
  };
}

/** What a session sees must not stay in a shared cache or in the history of a signed-out browser. */
function noStore(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (!/^\/(queues\/static|assets)\//.test(request.path)) response.set('cache-control', 'no-store');
    next();
  };
}
