import express, { type Request, type RequestHandler, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { createUserVerifier, type BoardUser, type Logger } from '@fairlane/runtime';
import { localsOf } from '../http/locals.js';
import type { ProblemCode } from '../http/problem.js';
import { clearSessionCookies, setSessionCookies } from './cookies.js';
import { logInPage, logOutPage } from './log-in-page.js';
import type { SessionStore } from './session-store.js';

export interface LogInDeps {
  users: readonly BoardUser[];
  sessions: SessionStore;
  logger: Logger;
}

const attemptWindowMs = 15 * 60_000;
const maxFailuresPerAddress = 20;
/** Also by name: an attacker may have many addresses. High enough that locking a colleague out takes effort. */
const maxFailuresPerUser = 50;

/** A form of two fields. Parsed before the CSRF check too, since the log-out form carries its token. */
export const parseForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: '8kb',
  parameterLimit: 10,
});

/** `POST /login`, the only route besides health that answers a stranger. */
export function logIn({ users, sessions, logger }: LogInDeps): RequestHandler[] {
  const verify = createUserVerifier(users);
  return [
    parseForm,
    limitFailures(maxFailuresPerAddress),
    limitFailures(maxFailuresPerUser, (request) => `user:${fieldOf(request, 'user').slice(0, 64)}`),
    async (request: Request, response: Response) => {
      const verified = await verify(fieldOf(request, 'user'), fieldOf(request, 'password'));
      if (!verified) {
        logger.warn({ address: request.ip }, 'log-in refused');
        refuse(request, response, 401, 'wrong_credentials');
        return;
      }
      // Never takes over the session of before, so a planted cookie gains nothing.
      const before = localsOf(response).session;
      if (before) await sessions.end(before.token);
      const session = await sessions.open(verified.user);
      logger.info({ user: session.user, role: session.role, address: request.ip }, 'logged in');
      setSessionCookies(request, response, session);
      response.redirect(303, `${localsOf(response).basePath}${localPath(fieldOf(request, 'next'))}`);
    },
  ];
}

/** `GET /logout`: a page that asks, since a link must not change anything. */
export function askToLogOut(_request: Request, response: Response): void {
  response.type('html').send(logOutPage(localsOf(response)));
}

/** `POST /logout`, behind the guards. */
export function logOut({ sessions, logger }: Pick<LogInDeps, 'sessions' | 'logger'>): RequestHandler {
  return async (request: Request, response: Response) => {
    const { session } = localsOf(response);
    if (session) await sessions.end(session.token);
    logger.info({ user: session?.user }, 'logged out');
    clearSessionCookies(request, response);
    response.redirect(303, `${localsOf(response).basePath}/`);
  };
}

function limitFailures(limit: number, keyOf?: (request: Request) => string): RequestHandler {
  return rateLimit({
    windowMs: attemptWindowMs,
    limit,
    skipSuccessfulRequests: true,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ...(keyOf ? { keyGenerator: keyOf } : {}),
    handler: (request, response) => refuse(request, response, 429, 'too_many_attempts'),
  });
}

function refuse(request: Request, response: Response, status: number, problem: ProblemCode): void {
  const next = localPath(fieldOf(request, 'next'));
  response
    .status(status)
    .type('html')
    .send(logInPage(localsOf(response), { next, problem }));
}

function fieldOf(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** Only a path of this board: `//host` and `/\host` would lead to another one. */
function localPath(next: string): string {
  return /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(next) && !/^\/log(in|out)\b/.test(next) ? next : '/';
}
