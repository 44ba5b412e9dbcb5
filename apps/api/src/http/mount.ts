import type { Express, Request } from 'express';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { LARGE_BODIES_AT_ONCE, MAX_JSON_BYTES, MAX_WAITING_BODIES } from '../limits.js';
import type { AccessControl } from './access.js';
import { parseJson } from './parse-json.js';
import { describeIssues, issuesOf, Problem, type Issue, type ProblemCode } from './problems.js';
import { readBody } from './read-body.js';
import { requestIdOf } from './request-log.js';
import type { BodySpec, Route } from './route.js';
import { send } from './send.js';
import { Slots } from './slots.js';

/** How long a request with a large body waits for those before it. */
const LARGE_BODY_WAIT_MS = 10_000;

/** Puts the table on the app. Each request: access, parameters, body, handler, answer; in that order. */
export function mountRoutes(
  app: Express,
  routes: readonly Route[],
  access: AccessControl,
  context: AppContext,
): void {
  const largeBodies = new Slots({
    count: LARGE_BODIES_AT_ONCE,
    maxWaiting: MAX_WAITING_BODIES,
    waitMs: LARGE_BODY_WAIT_MS,
  });
  for (const route of routes) {
    app[route.method](expressPath(route.path), async (request, response) => {
      const principal = await access.admit(route, request);
      const params = check(route.params, request.params, 'invalid_request');
      const query = check(route.query, request.query, 'invalid_request');
      const body = await receiveBody(route.body, request, async () => {
        const release = await largeBodies.take();
        // What was made of the body is in memory until the answer is out.
        if (response.closed) release();
        else response.once('close', release);
      });
      await send(
        response,
        await route.handler({
          params,
          query,
          body,
          principal,
          requestId: requestIdOf(request),
          app: context,
          request,
        }),
      );
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(expressPath(path), async (request) => {
      await refuseUnknown(routes, access, request, path);
      throw new Problem('method_not_allowed', { headers: { allow: methods.join(', ').toUpperCase() } });
    });
  }
  app.use(async (request: Request) => {
    // Before the path is looked at: without a token nobody learns which paths exist.
    await access.authenticate(request);
    throw new Problem('not_found');
  });
}

async function refuseUnknown(
  routes: readonly Route[],
  access: AccessControl,
  request: Request,
  path: string,
): Promise<void> {
  const isPublic = routes.some((route) => route.path === path && route.access === 'public');
  if (!isPublic) await access.authenticate(request);
}

function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'get' ? ['head'] : [])]);
  }
  return methods;
}

async function receiveBody(
  spec: BodySpec<unknown> | undefined,
  request: Request,
  beforeLarge: () => Promise<void>,
): Promise<unknown> {
  if (spec?.kind !== 'json') return undefined;
  const { maxBytes = MAX_JSON_BYTES } = spec;
  const bounds = { maxBytes, largeAboveBytes: MAX_JSON_BYTES, beforeLarge };
  const parsed = parseJson(await readBody(request, bounds));
  if (!parsed.ok) throw invalid(spec.invalid, [parsed.issue]);
  return check(spec.schema, parsed.value, spec.invalid);
}

function check(schema: z.ZodType | undefined, value: unknown, code: ProblemCode): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(code, issuesOf(result.error));
}

function invalid(code: ProblemCode, issues: readonly Issue[]): Problem {
  return new Problem(code, { detail: describeIssues(issues), issues });
}
