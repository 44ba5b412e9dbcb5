import type { IncomingMessage } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import parseUrl from 'parseurl';

/** What a request asks for. */
export interface RequestTarget {
  /** As it was sent, still encoded. */
  readonly path: string;
  readonly query: ParsedUrlQuery;
}

/** Read as Express' router reads it, which has done so already: what was found is kept with the request. */
export function targetOf(request: IncomingMessage): RequestTarget {
  const { pathname, query } = parseUrl(request) ?? {};
  return { path: pathname ?? '', query: parse(typeof query === 'string' ? query : '') };
}
