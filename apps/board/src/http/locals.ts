import type { Response } from 'express';
import type { Session } from '../log-in/session-store.js';

/** What the middleware in front of the routes found out about a request. */
export interface BoardLocals {
  /** Path the board is served under, without a slash at its end: empty, or such as `/x/y`. */
  basePath: string;
  /** Allows this one response's own inline style. */
  nonce: string;
  session?: Session;
}

/** `response.locals` with its type. Not a global augmentation of Express, which would reach every app. */
export function localsOf(response: Response): BoardLocals {
  return response.locals as BoardLocals;
}
