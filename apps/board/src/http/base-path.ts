import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { localsOf } from './locals.js';

/** Plain segments only, since the path is written into pages and cookies. */
const basePathFormat = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,10}$/;

export function isBasePath(text: string): boolean {
  return text.length <= 200 && basePathFormat.test(text);
}

/**
 * Finds the path under which a proxy serves the board: as configured, else `X-Forwarded-Prefix` of a
 * trusted proxy. Some proxies take the prefix off and some do not, so it is taken off here if present.
 */
export function resolveBasePath(configured: string | undefined): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const basePath = configured ?? forwardedPrefix(request) ?? '';
    localsOf(response).basePath = basePath;
    if (basePath !== '') request.url = withoutPrefix(request.url, basePath);
    next();
  };
}

function forwardedPrefix(request: Request): string | undefined {
  const prefix = request.get('x-forwarded-prefix')?.replace(/\/+$/, '');
  if (prefix === undefined || !isBasePath(prefix)) return undefined;
  const trusts = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  return trusts(request.socket.remoteAddress, 0) ? prefix : undefined;
}

function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}
