import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import { createAudit } from './audit/audit-log.js';
import { withNotes } from './audit/note-changes.js';
import type { AppDeps } from './deps.js';
import { createAccessControl } from './http/access.js';
import { createCursorSeal } from './http/cursor-seal.js';
import { createErrorHandler } from './http/error-handler.js';
import { mountRoutes } from './http/mount.js';
import { requestLog } from './http/request-log.js';
import { createEnqueueCounter } from './jobs/enqueue-counter.js';
import { Documentation } from './openapi/documentation.js';
import { routes } from './routes.js';
import { createSharedMetrics } from './system/shared-metrics.js';

export type { AppDeps } from './deps.js';

/** The HTTP API. Listens nowhere by itself. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // Requests and answers stay what Node has made them. Express changes the prototype of each to add its own methods, and
  // objects so changed are slow in whatever Node does with them: a third of the time of an enqueue.
  Object.assign(app, { request: IncomingMessage.prototype, response: ServerResponse.prototype });
  const context = {
    ...deps,
    documentation: new Documentation(routes, deps.catalogue),
    audit: withNotes(createAudit(deps.logger), deps.changes),
    cursors: createCursorSeal(deps.tokens),
    readSharedMetrics: createSharedMetrics(deps.registry, deps.statistics, deps.operations),
    countEnqueued: createEnqueueCounter(deps.registry, deps.catalogue),
  };
  mountRoutes(app, routes, {
    log: requestLog(deps.requestLogger ?? deps.logger),
    access: createAccessControl(deps.tokens),
    context,
  });
  app.use(createErrorHandler(deps.logger));
  return app;
}
