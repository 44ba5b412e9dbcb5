import { once } from 'node:events';
import { connect } from 'node:net';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, test } from 'vitest';
import { passwords, serveBoard } from './serve-board.js';

const redis = useRedis();
const serve = () => serveBoard({ redisUrl: redis.url, prefix: redis.prefix });

describe('strangers', () => {
  const paths = [
    '/',
    '/queues',
    '/queues/',
    '//queues//api//queues',
    '/queues/api/queues',
    '/QUEUES/API/queues',
    '/queues/api/queues/outreach/1/retry',
    '/queues/api/queues/outreach/obliterate',
    '/queues/static/js/main.js',
    '/%71ueues',
    '/queues%2fapi%2fqueues',
    '/queues/..%2f..%2fhealthz',
    '/healthz/../queues',
    '/%',
    '/logout',
    '/login',
    '/login/',
    '/metrics',
    '/nowhere?next=/queues',
  ];

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    'A32: %s answers 401 on every path, however it is spelled',
    async (method) => {
      await using board = await serve();
      for (const path of paths) {
        expect([path, await rawStatus(board.url, method, path)]).toEqual([path, 401]);
      }
    },
  );

  test('A32: wrong credentials of every kind answer 401', async () => {
    await using board = await serve();
    const wrong = [
      { authorization: `Basic ${btoa('operator:wrong')}` },
      { authorization: 'Bearer 0123456789' },
      { cookie: 'fairlane_board=; XSRF-TOKEN=x' },
      { cookie: `fairlane_board=${'a'.repeat(43)}` },
      { cookie: 'fairlane_board=__proto__' },
      { cookie: `fairlane_board=${'*'.repeat(4000)}` },
    ];
    for (const headers of wrong) {
      const response = await board.visit().request('/queues/api/queues', { headers });
      expect(response.status).toBe(401);
    }
  });

  test('A32: a log-in with a wrong password, an unknown user or odd fields answers 401 and sets no cookie', async () => {
    await using board = await serve();
    const bodies = [
      'user=operator&password=wrong',
      `user=nobody&password=${passwords.operator}`,
      'user[]=operator&password[]=x',
      'user=__proto__&password=',
      '',
    ];
    for (const body of bodies) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await board.visit().request('/login', { method: 'POST', body, headers });
      expect(response.status).toBe(401);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(board.log()).not.toContain(passwords.operator);
  });

  test('a browser that asks for a page gets the form with status 401, anyone else a problem', async () => {
    await using board = await serve();
    const page = await board
      .visit()
      .request('/queues/queue/outreach?status=failed', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(401);
    expect(await page.text()).toContain('name="next" value="/queues/queue/outreach?status=failed"');
    const problem = await board.visit().request('/queues');
    expect(problem.headers.get('content-type')).toContain('application/problem+json');
    expect(await problem.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  test('health is open to probes', async () => {
    await using board = await serve();
    expect((await board.visit().request('/healthz')).status).toBe(200);
    expect((await board.visit().request('/readyz')).status).toBe(200);
  });

  test('guesses are limited and a correct password does not help after too many', async () => {
    await using board = await serve();
    const statuses: number[] = [];
    for (let guess = 0; guess < 21; guess += 1) {
      statuses.push((await board.visit().logIn('operator', `guess ${guess}`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    expect((await board.visit().logIn('operator', passwords.operator)).status).toBe(429);
  });
});

describe('a session', () => {
  test('is a cookie that scripts cannot read and other sites cannot use', async () => {
    await using board = await serve();
    const response = await board.visit().logIn('viewer', passwords.viewer);
    const session = response.headers.getSetCookie().find((line) => line.startsWith('fairlane_board='));
    expect(session).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(session).toContain('Path=/;');
  });

  test('is secure where a trusted proxy speaks TLS', async () => {
    await using board = await serve();
    const headers = { 'x-forwarded-proto': 'https', 'content-type': 'application/x-www-form-urlencoded' };
    const body = `user=viewer&password=${encodeURIComponent(passwords.viewer)}`;
    const response = await board.visit().request('/login', { method: 'POST', body, headers });
    expect(response.headers.getSetCookie()[0]).toContain('; Secure');
  });

  test('leads to the page asked for, never to another site', async () => {
    await using board = await serve();
    const targets = [
      ['/queues/queue/outreach?status=failed', '/queues/queue/outreach?status=failed'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example', '/'],
      ['/queues\r\nset-cookie: a=b', '/'],
      ['/logout', '/'],
    ];
    for (const [next = '', expected] of targets) {
      const response = await board.visit().logIn('viewer', passwords.viewer, { next });
      expect(response.headers.get('location')).toBe(expected);
    }
  });

  test('is stored under a hash, with an end', async () => {
    await using board = await serve();
    const client = await board.logIn('viewer');
    const keys = await redis.client.keys(`${redis.prefix}:*`);
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toContain(client.cookie('fairlane_board'));
    expect(await redis.client.pttl(keys[0] ?? '')).toBeGreaterThan(3_600_000);
  });

  test('ends with the log-out, for a copy of the cookie too', async () => {
    await using board = await serve();
    const client = await board.logIn('viewer');
    const stolen = { cookie: client.cookieHeader };
    const page = await (await client.request('/logout', { headers: { accept: 'text/html' } })).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const out = await client.request('/logout', { method: 'POST', body: new URLSearchParams({ csrf }) });
    expect(out.status).toBe(303);
    expect((await board.visit().request('/', { headers: stolen })).status).toBe(401);
  });

  test('ends when the password changes or the user is removed', async () => {
    await using board = await serve();
    const client = await board.logIn('viewer');
    const { hashPassword } = await import('@fairlane/runtime');
    const changed = [{ user: 'viewer', role: 'viewer' as const, passwordHash: await hashPassword('new') }];
    await using restarted = await serveBoard({
      redisUrl: redis.url,
      prefix: redis.prefix,
      deps: { users: changed },
    });
    const answer = await restarted.visit().request('/', { headers: { cookie: client.cookieHeader } });
    expect(answer.status).toBe(401);
  });

  test('is taken over by no planted cookie', async () => {
    await using board = await serve();
    const client = await board.logIn('viewer');
    const before = client.cookieHeader;
    await client.logIn('viewer', passwords.viewer);
    expect(client.cookieHeader).not.toBe(before);
    expect((await board.visit().request('/', { headers: { cookie: before } })).status).toBe(401);
  });

  test('answers 503 while Redis is away and works again afterwards', async () => {
    await using board = await serve();
    const client = await board.logIn('viewer');
    await redis.server.kill();
    expect((await client.request('/queues/api/queues')).status).toBe(503);
    expect((await client.request('/readyz')).status).toBe(503);
    expect((await board.visit().request('/queues')).status).toBe(401);
    await redis.server.restart();
    await expect.poll(async () => (await client.request('/readyz')).status).toBe(200);
  });
});

describe('requests that change something', () => {
  test.each([
    ['without the token', {}],
    ['with a wrong token', { 'x-xsrf-token': 'guess' }],
    ['with the token of another session', { 'x-xsrf-token': 'other' }],
  ])('are refused %s', async (_case, headers: Record<string, string>) => {
    await using board = await serve();
    const client = await board.logIn('operator');
    if (headers['x-xsrf-token'] === 'other') {
      headers['x-xsrf-token'] = (await board.logIn('operator')).cookie('XSRF-TOKEN') ?? '';
    }
    const response = await client.request('/queues/api/queues/outreach/1/retry', { method: 'PUT', headers });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'csrf_token_missing' });
  });

  test('are refused when the browser says that another site sends them, the log-in included', async () => {
    await using board = await serve();
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' };
    const body = `user=viewer&password=${encodeURIComponent(passwords.viewer)}`;
    const response = await board.visit().request('/login', { method: 'POST', body, headers });
    expect(response.status).toBe(403);
  });
});

/** Sends the path as it stands; fetch would tidy it up and refuses TRACE. */
async function rawStatus(base: string, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  let answer = '';
  socket.on('data', (data) => (answer += data.toString()));
  await once(socket, 'end');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
