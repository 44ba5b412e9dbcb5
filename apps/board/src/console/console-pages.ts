import { hostname } from 'node:os';
import { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { localsOf } from '../http/locals.js';
import { escapeHtml } from '../log-in/log-in-page.js';
import type { ConsoleFile, ConsoleFiles } from './console-files.js';

/** First parts of the paths that the console's own router knows; the rest is not found. */
const pages = ['/', '/accounts', '/jobs', '/dead-letters', '/workers'];

export interface ConsolePagesDeps {
  files: ConsoleFiles;
  /** Shown in the header, so that nobody takes one deployment for another. */
  deploymentName?: string;
}

/** The console: one page for every path of its router, and the files the page asks for. */
export function createConsolePages({ files, deploymentName = hostname() }: ConsolePagesDeps): Router {
  const router = Router();
  router.get('/assets/*path', serveAssets(files.assets));
  router.get(
    pages.flatMap((page) => (page === '/' ? [page] : [page, `${page}/:id`])),
    (_request: Request, response: Response) => {
      const { basePath, session } = localsOf(response);
      const facts = JSON.stringify({ deployment: deploymentName, user: session?.user, role: session?.role });
      const head = `<base href="${basePath}/"><meta name="fairlane" content="${escapeHtml(facts)}">`;
      response
        .type('html')
        .set('content-security-policy', contentSecurityPolicy)
        .send(files.indexHtml.replace('<head>', () => `<head>${head}`));
    },
  );
  return router;
}

/** Nothing inline, nothing from elsewhere, and no text ever becomes markup. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

function serveAssets(assets: ReadonlyMap<string, ConsoleFile>): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const file = assets.get(request.path.slice(1));
    if (file === undefined) {
      next();
      return;
    }
    const gzip = request.acceptsEncodings('gzip') === 'gzip';
    response
      .type(request.path.slice(request.path.lastIndexOf('.') + 1))
      .set('cache-control', 'private, max-age=31536000, immutable')
      .set('vary', 'accept-encoding');
    if (gzip) response.set('content-encoding', 'gzip');
    response.send(gzip ? file.gzipped : file.body);
  };
}
