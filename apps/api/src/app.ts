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
  // Answers change with every job: computing tags for them only costs.
  app.disable('etag');
  app.set('query parser', 'simple');
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
