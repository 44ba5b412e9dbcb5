import { createBullBoard } from '@bull-board/api';
import type { BoardHooks } from '@bull-board/api/typings/app';
import { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { BOARD_ROLES, type BoardRole, type Logger } from '@fairlane/runtime';
import { localsOf } from '../http/locals.js';
import { sendProblem } from '../http/problem.js';
import { BoardQueueAdapter, type BoardQueueDeps, type BoardQueue } from './queue-adapter.js';
import { RoleServerAdapter } from './server-adapter.js';

export interface QueuesBoardDeps extends BoardQueueDeps {
  queues: readonly BoardQueue[];
  logger: Logger;
}

/** Bull Board, once a role: what a role may not see or do is not in its board. */
export function createQueuesBoard(deps: QueuesBoardDeps): Router {
  const boards = Object.fromEntries(BOARD_ROLES.map((role) => [role, boardFor(role, deps)])) as Record<
    BoardRole,
    RequestHandler
  >;
  const router = Router();
  router.use(auditActions(deps.logger));
  router.use((request: Request, response: Response, next: NextFunction) => {
    const role = localsOf(response).session?.role;
    if (role) boards[role](request, response, next);
    else sendProblem(response, 'unauthenticated');
  });
  // Bull Board passes on what its table does not hold.
  router.use('/api', (_request: Request, response: Response) => {
    sendProblem(response, 'action_switched_off');
  });
  return router;
}

function boardFor(role: BoardRole, deps: QueuesBoardDeps): RequestHandler {
  const serverAdapter = new RoleServerAdapter(role, deps.logger);
  createBullBoard({
    queues: deps.queues.map((queue) => new BoardQueueAdapter(queue, role, deps)),
    serverAdapter,
    options: {
      handlerHooks: actionsOnFailedOnly,
      uiConfig: {
        boardTitle: 'Fairlane',
        hideDocsLink: true,
        showMetrics: false,
        hideRedisDetails: true,
        // One CLIENT LIST a queue on every poll of every open page.
        showWorkers: false,
        miscLinks: [{ text: 'Sign out', url: '../logout' }],
      },
    },
  });
  return serverAdapter.getRouter() as RequestHandler;
}

/**
 * Tells the page that a queue is read-only, except to an operator who looks at its failed jobs: only those
 * may be retried, and the page offers other actions on the rest.
 */
const actionsOnFailedOnly: BoardHooks = {
  after: ({ route, request }, result) => {
    const body = result.body as { queues?: { name: string; readOnlyMode: boolean; jobs: unknown[] }[] };
    if (route !== '/api/queues' || !body.queues) return result;
    const { activeQueue, status } = request.query as { activeQueue?: string; status?: string };
    const queues = body.queues.map((queue) => {
      const showsFailed = status === 'failed' && queue.name === activeQueue && queue.jobs.length > 0;
      return { ...queue, readOnlyMode: queue.readOnlyMode || !showsFailed };
    });
    return { ...result, body: { ...body, queues } };
  },
};

function auditActions(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const match = /^\/api\/queues\/([^/]+)\/([^/]+)\/retry$/.exec(request.path);
    if (request.method === 'PUT' && match) {
      const [, queue, job] = match;
      response.on('finish', () => {
        const done = response.statusCode < 400;
        const { session } = localsOf(response);
        const line = { audit: 'job.replay', user: session?.user, queue, job, status: response.statusCode };
        logger.info(
          done ? { ...line, before: 'dead', after: 'ready' } : line,
          done ? 'replayed' : 'replay refused',
        );
      });
    }
    next();
  };
}
