import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from './problems.js';
import { RouteTable } from './route-table.js';
import { route, type Route } from './route.js';

function made(method: Route['method'], path: string): Route {
  return route({
    method,
    path,
    summary: path,
    access: ['operator'],
    accountTokens: 'refused',
    responses: { 200: { description: 'Done', schema: z.unknown() } },
    errors: [],
    handler: () => ({ status: 200 }),
  });
}

const routes = [
  made('post', '/v1/jobs/{name}'),
  made('get', '/v1/jobs/{id}'),
  made('post', '/v1/jobs/cancel'),
  made('post', '/v1/jobs/{id}/effects/{name}/resolve'),
  made('get', '/openapi.json'),
  made('get', '/v1/logs.d/{id}'),
];

function ask(method: string, path: string): unknown {
  const found = new RouteTable(routes).find(method, path);
  if (found === undefined) return undefined;
  if ('others' in found) return found.others.map((other) => `${other.method} ${other.path}`);
  return [found.route.path, { ...found.params }];
}

describe('the table of routes', () => {
  it.each([
    ['POST', '/v1/jobs/outreach.send', ['/v1/jobs/{name}', { name: 'outreach.send' }]],
    ['GET', '/v1/jobs/a%2Fb', ['/v1/jobs/{id}', { id: 'a/b' }]],
    ['HEAD', '/v1/jobs/x', ['/v1/jobs/{id}', { id: 'x' }]],
    [
      'POST',
      '/v1/jobs/j1/effects/__proto__/resolve',
      ['/v1/jobs/{id}/effects/{name}/resolve', { id: 'j1', name: '__proto__' }],
    ],
    ['GET', '/openapi.json', ['/openapi.json', {}]],
  ])('finds %s %s', (method, path, expected) => {
    expect(ask(method, path)).toEqual(expected);
  });

  it('takes a path without parameters before one with them, wherever they stand, for its own methods', () => {
    expect(ask('POST', '/v1/jobs/cancel')).toEqual(['/v1/jobs/cancel', {}]);
    expect(ask('GET', '/v1/jobs/cancel')).toEqual(['/v1/jobs/{id}', { id: 'cancel' }]);
  });

  it('tells the routes of other methods, all of them', () => {
    expect(ask('PUT', '/v1/jobs/x')).toEqual(['post /v1/jobs/{name}', 'get /v1/jobs/{id}']);
    expect(ask('OPTIONS', '/openapi.json')).toEqual(['get /openapi.json']);
  });

  it.each(['/v1/jobs/', '/v1/jobs/x/', '/v1/Jobs/x', '/v1//x', '/v1/logsXd/1', '/v1/jobs/{name}/', '/', ''])(
    'knows nothing at %j',
    (path) => {
      expect(ask('GET', path)).toBeUndefined();
      expect(ask('POST', path)).toBeUndefined();
    },
  );

  it('refuses a parameter that is not encoded well', () => {
    expect(() => ask('GET', '/v1/jobs/%ff')).toThrow(Problem);
  });
});
