import type { NextFunction, Request, Response } from 'express';
import { ExpressAdapter } from '@bull-board/express';
import type { AppControllerRoute, AppViewRoute, HTTPStatus } from '@bull-board/api/typings/app';
import { describeError, type BoardRole, type Logger } from '@fairlane/runtime';
import { BoardProblem, problemTitle } from '../http/problem.js';
import { localsOf } from '../http/locals.js';
import { actionsStylesheet } from './actions-stylesheet.js';
import { secureEntryPage } from './entry-page.js';
import { FLOW_ROUTE, isAllowed, namesOf } from './route-rules.js';

const stylesheet = 'static/fairlane.css';

/** Mounts only the routes that a role may use, and serves the page under whatever path a proxy gives. */
export class RoleServerAdapter extends ExpressAdapter {
  readonly #role: BoardRole;
  readonly #logger: Logger;

  constructor(role: BoardRole, logger: Logger) {
    super();
    this.#role = role;
    this.#logger = logger;
  }

  /** Bull Board's own handler would answer with the text of whatever was thrown, and log nothing. */
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      if (error instanceof BoardProblem) {
        const { statusCode: status, code, message } = error;
        return { status: status as HTTPStatus, body: { code, error: message } };
      }
      this.#logger.error({ error: describeError(error) }, 'a call of Bull Board failed');
      return { status: 500, body: { code: 'internal_error', error: problemTitle('internal_error') } };
    });
  }

  override setApiRoutes(routes: AppControllerRoute[]): ExpressAdapter {
    const allowed = routes.filter((route) => isAllowed(this.#role, route));
    return super.setApiRoutes(
      allowed.map((route) =>
        namesOf(route).includes(FLOW_ROUTE) ? { ...route, handler: answerNoFlow } : route,
      ),
    );
  }

  override setEntryRoute(entry: AppViewRoute): ExpressAdapter {
    this.app.get(`/${stylesheet}`, (_request: Request, response: Response) => {
      response.type('css').send(actionsStylesheet);
    });
    this.app.get(entry.route, (_request: Request, response: Response, next: NextFunction) => {
      const { basePath, nonce } = localsOf(response);
      const view = entry.handler({ basePath: `${basePath}/queues`, uiConfig: this.uiConfig });
      response.render(view.name, view.params, (error: Error | null, html: string) => {
        if (error) next(error);
        else response.type('html').send(secureEntryPage(html, { nonce, stylesheet }));
      });
    });
    return this;
  }
}

const answerNoFlow: AppControllerRoute['handler'] = (request) => ({
  status: 200,
  body: { nodeId: String(request?.params['jobId']), flowRoot: null, isFlowNode: false },
});
