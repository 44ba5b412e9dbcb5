import { describeError, isRedisUnavailable, retryAfter, type Logger } from '@fairlane/runtime';
import { RepeatedErrors } from '@fairlane/queue';
import { FairlaneError } from '@fairlane/sdk';
import type { ErrorRequestHandler } from 'express';
import { Problem } from './problems.js';
import { requestIdOf } from './request-log.js';
import { sendText } from './send.js';

/** Turns everything that is thrown into problem+json. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  const outages = new RepeatedErrors();
  return (error: unknown, request, response, _next) => {
    // The client went away: nobody is left to answer, and nothing is wrong here.
    if (response.destroyed) return;
    const problem = toProblem(error);
    const requestId = requestIdOf(request);
    if (problem.status >= 500) {
      const cause = problem.options.cause ?? error;
      // Each request has its line with its status; of an outage the reason need not be told for each of them.
      const told = problem.code === 'unavailable' ? outages.tell(String(cause)) : {};
      if (told !== undefined) {
        logger.error({ requestId, error: describeError(cause), ...told }, 'request failed');
      }
    }
    if (response.headersSent) {
      // Half an answer is out: cutting the connection is the only way left to say that it is not whole.
      response.destroy();
      return;
    }
    sendText(response, problem.status, {
      type: 'application/problem+json; charset=utf-8',
      text: JSON.stringify({ ...problem.toJSON(), requestId }),
      headers: problem.options.headers,
    });
  };
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = missingPart(error);
  if (detail !== undefined) {
    return new Problem('unavailable', { detail, cause: error, headers: retryAfter(1_000) });
  }
  // Express and Node say with a status that the request itself cannot be read, such as `%ff` in a path.
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Problem('invalid_request', { cause: error });
  }
  return new Problem('internal_error', { cause: error });
}

/** What cannot be reached or is full, a sentence: the ledger and the blob store need somebody else than Redis does. */
function missingPart(error: unknown): string | undefined {
  if (error instanceof FairlaneError && error.code === 'unavailable') {
    const { message } = error;
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
  }
  return isRedisUnavailable(error) ? 'Redis does not answer, is full or takes no writes.' : undefined;
}
