import type { NextFunction, Request, Response } from 'express';
import { ExpressAdapter } from '@bull-board/express';
import type { AppControllerRoute, AppViewRoute } from '@bull-board/api/typings/app';
import type { BoardRole } from '@fairlane/runtime';
import { localsOf } from '../http/locals.js';
import { actionsStylesheet } from './actions-stylesheet.js';
import { secureEntryPage } from './entry-page.js';
import { FLOW_ROUTE, isAllowed, namesOf } from './route-rules.js';

const stylesheet = 'static/fairlane.css';

/** Mounts only the routes that a role may use, and serves the page under whatever path a proxy gives. */
export class RoleServerAdapter extends ExpressAdapter {
  readonly #role: BoardRole;

  constructor(role: BoardRole) {
    super();
    this.#role = role;
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
