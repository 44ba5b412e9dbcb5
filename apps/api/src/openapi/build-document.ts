import { OpenApiGeneratorV31, OpenAPIRegistry, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { Catalogue } from '@fairlane/sdk';
import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from '../http/problems.js';
import type { Route } from '../http/route.js';
import { problem } from '../http/problem-schema.js';
import type { OpenApiDocument } from './document.js';
import { registerPayloads, type SchemaObject } from './payload-schemas.js';

/** OpenAPI 3.1 of the table: the schemas that check requests are the schemas that are shown. */
export function buildDocument(routes: readonly Route[], catalogue: Catalogue): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  const payload = registerPayloads(registry, catalogue);
  for (const route of routes) registry.registerPath(describeRoute(route, payload));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Fairlane',
      version: '1',
      description: 'Jobs with one fair, rate-limited lane per customer account.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
  });
}

function describeRoute(route: Route, payload: SchemaObject): RouteConfig {
  const { method, path, summary, access, accountTokens, params, query } = route;
  return {
    method,
    path,
    summary,
    operationId: operationId(route),
    tags: [tagOf(path)],
    description: describeAccess(access, accountTokens),
    security: access === 'public' ? [] : [{ token: [] }],
    request: {
      ...(params ? { params: params as z.ZodObject } : {}),
      ...(query ? { query: query as z.ZodObject } : {}),
      ...describeBody(route, payload),
    },
    responses: { ...describeResponses(route), ...describeProblems(problemCodes(route)) },
  };
}

/** `get /v1/jobs/{id}/payload` -> `get-jobs-id-payload` */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[/{}]+/).filter((word) => word !== '' && word !== 'v1');
  return [method, ...words].join('-');
}

function tagOf(path: string): string {
  const [, version, resource] = path.split('/');
  return version === 'v1' && resource !== undefined ? resource : 'system';
}

function describeAccess(access: Route['access'], accountTokens: Route['accountTokens']): string {
  if (access === 'public') return 'Needs no token.';
  const limited = accountTokens === 'refused' ? ' A token limited to accounts is refused.' : '';
  return `Roles: ${access.join(', ')}.${limited}`;
}

function describeBody({ path, body }: Route, payload: SchemaObject): RouteConfig['request'] {
  if (body === undefined) return {};
  const takesPayload = path.startsWith('/v1/jobs/{name}');
  if (body.kind === 'ndjson') {
    const content = { 'application/x-ndjson': { schema: payload } };
    return { body: { required: true, description: body.description, content } };
  }
  if (body.kind === 'bytes') {
    const content = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } };
    return { body: { required: true, description: body.description, content } };
  }
  const schema = takesPayload ? payload : body.schema;
  return { body: { required: true, content: { 'application/json': { schema } } } };
}

function describeResponses({ responses }: Route): RouteConfig['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { description, schema, type = 'application/json', alsoType } = response;
      const also = alsoType === undefined ? {} : { [alsoType]: { schema: z.string() } };
      const content =
        schema || type !== 'application/json'
          ? { [type]: { schema: schema ?? z.string() }, ...also }
          : undefined;
      return [status, content ? { description, content } : { description }];
    }),
  );
}

/** All codes a route can answer: its own and those that come with what it takes. */
export function problemCodes({ access, params, query, body, errors, path }: Route): ProblemCode[] {
  const codes: ProblemCode[] = [...errors, 'internal_error'];
  if (access !== 'public')
    codes.push('unauthenticated', 'too_many_attempts', 'forbidden', 'account_forbidden');
  if (params || query) codes.push('invalid_request');
  if (body) codes.push('unsupported_encoding');
  if (body?.kind === 'json') codes.push('payload_too_large', 'request_timeout', body.invalid);
  if (path.startsWith('/v1/')) codes.push('unavailable');
  return [...new Set(codes)];
}

function describeProblems(codes: readonly ProblemCode[]): RouteConfig['responses'] {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      {
        description: members.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
        content: {
          'application/problem+json': {
            schema: problem.extend({ code: z.enum(members as [ProblemCode, ...ProblemCode[]]) }),
          },
        },
      },
    ]),
  );
}
