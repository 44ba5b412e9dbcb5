import type { CookieOptions, Request, Response } from 'express';
import { localsOf } from '../http/locals.js';
import { SESSION_LIFETIME_MS, type Session } from './session-store.js';

const sessionCookie = 'fairlane_board';
/** Bull Board's HTTP client (axios) sends the value of this cookie back in the header `X-XSRF-TOKEN`. */
const csrfCookie = 'XSRF-TOKEN';

export function sessionTokenOf(request: Request): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.split('=', 2);
    if (name?.trim() === sessionCookie) return value?.trim();
  }
  return undefined;
}

export function setSessionCookies(request: Request, response: Response, session: Session): void {
  const options = cookieOptions(request, response);
  response.cookie(sessionCookie, session.token, { ...options, httpOnly: true, maxAge: SESSION_LIFETIME_MS });
  response.cookie(csrfCookie, session.csrfToken, { ...options, maxAge: SESSION_LIFETIME_MS });
}

export function clearSessionCookies(request: Request, response: Response): void {
  const options = cookieOptions(request, response);
  response.clearCookie(sessionCookie, { ...options, httpOnly: true });
  response.clearCookie(csrfCookie, options);
}

function cookieOptions(request: Request, response: Response): CookieOptions {
  return { path: `${localsOf(response).basePath}/`, sameSite: 'strict', secure: request.secure };
}
