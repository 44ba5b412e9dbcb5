import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { localsOf } from './locals.js';

/** Everything comes from the board itself: no script, font, image or request of another origin. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", nonceSource],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    workerSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'self'"],
    frameAncestors: ["'none'"],
  },
};

function nonceSource(_request: IncomingMessage, response: ServerResponse): string {
  return `'nonce-${localsOf(response as Response).nonce}'`;
}

export function securityHeaders(): RequestHandler[] {
  return [
    (_request: Request, response: Response, next: NextFunction) => {
      localsOf(response).nonce = randomBytes(16).toString('base64');
      next();
    },
    helmet({
      contentSecurityPolicy,
      crossOriginEmbedderPolicy: true,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    }),
  ];
}
