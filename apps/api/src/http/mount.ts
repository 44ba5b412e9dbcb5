import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { LARGE_BODIES_AT_ONCE, MAX_JSON_BYTES, MAX_WAITING_BODIES } from '../limits.js';
import type { AccessControl } from './access.js';
import { parseJson } from './parse-json.js';
import { describeIssues, issuesOf, Problem, type Issue, type ProblemCode } from './problems.js';
import { bodyAtHand, receiveBody, refuseEncoding } from './read-body.js';
import { requestIdOf, type RequestLog } from './request-log.js';
import { targetOf } from './request-target.js';
import { RouteTable } from './route-table.js';
import type { BodySpec, Route } from './route.js';
import { send } from './send.js';
import { Slots } from './slots.js';

/** How long a request with a large body waits for those before it. */
const LARGE_BODY_WAIT_MS = 10_000;

/** Puts the table on the app. Each request: access, parameters, body, handler, answer; in that order. */
export function mountRoutes(
  app: Express,
  routes: readonly Route[],
  { log, access, context }: { log: RequestLog; access: AccessControl; context: AppContext },
): void {
  const largeBodies = new Slots({
    count: LARGE_BODIES_AT_ONCE,
    maxWaiting: MAX_WAITING_BODIES,
    waitMs: LARGE_BODY_WAIT_MS,
  });
  const table = new RouteTable(routes);
  // One middleware for all of it: each one more is another round through Express' router.
  app.use(async (request: IncomingMessage, response: ServerResponse) => {
    log(request, response);
    const { path, query } = targetOf(request);
    const found = table.find(request.method ?? '', path);
    if (found === undefined || !('route' in found)) throw await refusal(found?.others ?? [], access, request);
    const { route, params } = found;
    const principal = await access.admit(route, request);
    const call = {
      params: check(route.params, params, 'invalid_request'),
      query: check(route.query, query, 'invalid_request'),
      body: route.body?.kind === 'json' ? await jsonBody(route.body, request, response) : undefined,
      principal,
      requestId: requestIdOf(request),
      app: context,
      request,
    };
    await send(response, await route.handler(call));
  });

  async function jsonBody(
    spec: JsonBody,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<unknown> {
    refuseEncoding(request);
    const { maxBytes = MAX_JSON_BYTES } = spec;
    const bounds = { maxBytes, largeAboveBytes: MAX_JSON_BYTES };
    const bytes =
      bodyAtHand(request, bounds) ??
      (await receiveBody(request, bounds, async () => {
        const release = await largeBodies.take();
        // What was made of the body is in memory until the answer is out.
        if (response.closed) release();
        else response.once('close', release);
      }));
    const parsed = parseJson(bytes);
    if (!parsed.ok) throw invalid(spec.invalid, [parsed.issue]);
    return check(spec.schema, parsed.value, spec.invalid);
  }
}

type JsonBody = Extract<BodySpec<unknown>, { readonly kind: 'json' }>;

/** Why no route takes the request. Without a token nobody learns which paths exist, but for public ones. */
async function refusal(
  others: readonly Route[],
  access: AccessControl,
  request: IncomingMessage,
): Promise<Problem> {
  if (!others.some((route) => route.access === 'public')) await access.authenticate(request);
  if (others.length === 0) return new Problem('not_found');
  const methods = others.flatMap(({ method }) => (method === 'get' ? ['get', 'head'] : method));
  return new Problem('method_not_allowed', { headers: { allow: methods.join(', ').toUpperCase() } });
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
