import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import { describeError, retryAfter, type Logger } from '@fairlane/runtime';

/** Every error answer of the board: code, HTTP status and what it means to a person; see docs/errors.md. */
export const problems = {
  invalid_request: [400, 'The request could not be read.'],
  unauthenticated: [401, 'Sign in first.'],
  wrong_credentials: [401, 'User or password is wrong.'],
  csrf_token_missing: [403, 'The request did not come from a page of this board. Reload and try again.'],
  forbidden: [403, 'Your role may look but not act. Ask someone with the operator role.'],
  action_switched_off: [
    403,
    'Switched off: this action would bypass the rules of the queue. Use the API instead.',
  ],
  not_found: [404, 'There is nothing at this address.'],
  not_replayable: [409, 'Only a failed job can be replayed.'],
  unresolved_effect: [
    409,
    'An effect of this job may have been applied. Resolve it through the API, and the job goes on.',
  ],
  request_too_large: [413, 'The request is larger than anything the console sends. Use the API instead.'],
  too_many_streams: [429, 'This log-in has too many pages open. Close some of them.'],
  too_many_attempts: [429, 'Too many failed attempts to sign in. Try again later.'],
  internal_error: [500, 'Something went wrong. The log of the board says what.'],
  api_refuses_token: [
    502,
    'The API does not accept the token of the board. Check BOARD_API_TOKENS against FAIRLANE_TOKENS.',
  ],
  api_not_connected: [503, 'The board has no tokens for the API. Set BOARD_API_TOKENS and FAIRLANE_API_URL.'],
  api_unavailable: [503, 'The API does not answer. Try again in a moment.'],
  unavailable: [503, 'Redis does not answer. Try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problems;

export class BoardProblem extends Error {
  override name = 'BoardProblem';
  readonly code: ProblemCode;
  /** Bull Board's own error handler answers with it. */
  readonly statusCode: number;

  constructor(code: ProblemCode) {
    super(problems[code][1]);
    this.code = code;
    this.statusCode = problems[code][0];
  }
}

export function problemTitle(code: ProblemCode): string {
  return problems[code][1];
}

export function sendProblem(response: Response, code: ProblemCode): void {
  const [status, title] = problems[code];
  if (status === 503) response.set(retryAfter(2_000));
  response
    .status(status)
    .type('application/problem+json')
    // `error` is what Bull Board's pages show.
    .send(JSON.stringify({ type: 'about:blank', status, code, title, error: title }));
}

export function notFound(): RequestHandler {
  return (_request: Request, response: Response) => sendProblem(response, 'not_found');
}

/** Express recognises an error handler by its four parameters. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const code = problemOf(error);
    if (code === 'internal_error')
      logger.error({ path: request.path, error: describeError(error) }, 'request failed');
    sendProblem(response, code);
  };
}

function problemOf(error: unknown): ProblemCode {
  if (error instanceof BoardProblem) return error.code;
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? 'invalid_request' : 'internal_error';
}
