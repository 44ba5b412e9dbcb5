import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { targetOf } from './request-target.js';

it.each([
  ['/v1/jobs', '/v1/jobs', {}],
  ['/v1/jobs?', '/v1/jobs', {}],
  [
    '/v1/jobs/a%2Fb?since=2026-11-30&tag=a%20b&tag=c',
    '/v1/jobs/a%2Fb',
    { since: '2026-11-30', tag: ['a b', 'c'] },
  ],
  ['//v1/jobs?x=?', '//v1/jobs', { x: '?' }],
  ['http://api.example.com/v1/jobs?limit=5', '/v1/jobs', { limit: '5' }],
  ['/v1/jobs?__proto__=x', '/v1/jobs', JSON.parse('{ "__proto__": "x" }')],
])('reads %s', (url, path, query) => {
  const target = targetOf({ url } as IncomingMessage);
  expect(target.path).toBe(path);
  expect({ ...target.query }).toEqual(query);
});
