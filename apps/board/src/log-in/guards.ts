import { timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { localsOf } from '../http/locals.js';
import { sendProblem } from '../http/problem.js';
import { sessionTokenOf } from './cookies.js';
import { logInPage } from './log-in-page.js';
import type { Session, SessionStore } from './session-store.js';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** For browsers that say where a request comes from; covers the log-in form too, which has no token yet. */
export function refuseCrossSite(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const crossSite = request.get('sec-fetch-site') === 'cross-site';
    if (crossSite && !readingMethods.has(request.method)) sendProblem(response, 'csrf_token_missing');
    else next();
  };
}

/** Finds who asks. Without a cookie nothing is looked up, so strangers cost Redis nothing. */
export function loadSession(sessions: SessionStore): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    const token = sessionTokenOf(request);
    if (token !== undefined) {
      let session: Session | undefined;
      try {
        session = await sessions.find(token);
      } catch {
        sendProblem(response, 'unavailable');
        return;
      }
      if (session) localsOf(response).session = session;
    }
    next();
  };
}

/** Stands before every route, so that no spelling of a path gets around it. */
export function requireSession(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (localsOf(response).session) {
      next();
      return;
    }
    const wantsPage = request.method === 'GET' && request.accepts(['json', 'html']) === 'html';
    if (wantsPage)
      response
        .status(401)
        .type('html')
        .send(logInPage(localsOf(response), { next: request.url }));
    else sendProblem(response, 'unauthenticated');
  };
}

/**
 * A page of another origin can make a browser send the cookie in spite of SameSite (an old browser, a
 * sibling domain), but cannot read the token that has to come along in a header or a form field.
 */
export function requireCsrfToken(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const field = (request.body as Record<string, unknown> | undefined)?.['csrf'];
    const sent = request.get('x-xsrf-token') ?? (typeof field === 'string' ? field : '');
    if (readingMethods.has(request.method) || isSame(sent, localsOf(response).session?.csrfToken)) next();
    else sendProblem(response, 'csrf_token_missing');
  };
}

/** A viewer may only read, whatever route a later version of a page offers. */
export function requireOperatorToAct(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (readingMethods.has(request.method) || localsOf(response).session?.role === 'operator') next();
    else sendProblem(response, 'forbidden');
  };
}

function isSame(sent: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
