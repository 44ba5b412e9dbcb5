import { connect } from 'node:net';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { message } from '../testing-support/catalogue.js';
import { deadJobs, Outside } from '../testing-support/dead-jobs.js';
import { ROLE_TOKENS, startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
// No survey of the queues among the commands that are compared.
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix, surveyEveryMs: 3_600_000 });

const narrowed = routes.filter(
  ({ access, accountTokens }) => access !== 'public' && accountTokens === 'narrowed',
);
const bodies: Readonly<Record<string, unknown>> = {
  'post /v1/jobs/{id}/effects/{name}/resolve': { outcome: 'applied' },
  'put /v1/webhook-endpoints/{id}': { accountId: 'other', url: 'https://9.9.9.9/hook' },
  'put /v1/accounts/{account}': { weight: 3 },
  'put /v1/accounts/{account}/limits/{group}': { limit: 1, perMs: 1_000 },
};
const UNKNOWN_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

/** A job of the account `other` that waits, and one that died after its effect. */
async function jobsOfOthers(api: ApiUnderTest): Promise<{ waiting: string; dead: string }> {
  const [dead] = await deadJobs(redis, api, Outside.refuses, [{ accountId: 'other' }]);
  const { json } = await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'other' }) });
  return { waiting: String(json['id']), dead: dead ?? '' };
}

async function ask(
  api: ApiUnderTest,
  [method, path, token, body]: readonly [string, string, string, unknown],
) {
  const answer = await api.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const { requestId: _, ...rest } = answer.json;
  const { date: _date, 'x-request-id': _id, ...headers } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, json: rest };
}

/**
 * What Redis was asked with `id` in it while `work` ran, the id itself left out. Read from a plain connection, since
 * ioredis loses track of MONITOR when commands come in the packet of its answer.
 */
async function commandsWith(id: string, work: () => Promise<unknown>): Promise<string[]> {
  const { hostname, port } = new URL(redis.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.write('MONITOR\r\n');
  await expect.poll(() => text).toContain('+OK');
  await work();
  await redis.client.echo('the end');
  await expect.poll(() => text).toContain('"the end"');
  socket.destroy();
  return (
    text
      .split('\r\n')
      // The rest of an id is the field of its bucket.
      .filter((line) => line.includes(id.slice(2)))
      .map((line) =>
        line
          .replace(/^\+[\d.]+ \[[^\]]*\]/, '')
          .replaceAll(id, 'ID')
          .replaceAll(/ "[0-9a-f]{40}"| "[^ ]*::dedup:[^ ]*"/g, ' ')
          .replaceAll(id.slice(2), 'FIELD'),
      )
  );
}

describe('a token limited to accounts', () => {
  it('gets the same answer for ids of others as for ids that never were, on every route and in every role', async () => {
    const api = await start();
    const { waiting, dead } = await jobsOfOthers(api);
    let compared = 0;
    for (const { method, path, access } of narrowed.filter((route) => /\{(id|account)\}/.test(route.path))) {
      for (const role of ROLE_TOKENS.filter((each) => access.includes(each))) {
        const at = (id: string, account: string) =>
          path
            .replace('{id}', id)
            .replace('{account}', account)
            .replace('{name}', 'send')
            .replace('{group}', 'email');
        const request = (id: string, account: string) =>
          ask(api, [method, at(id, account), api.tokens[`own-${role}`], bodies[`${method} ${path}`]]);
        const unknown = await request(UNKNOWN_ID, 'nobody');
        expect([method, path, unknown.status]).toEqual([method, path, method === 'get' ? 404 : 403]);
        for (const id of [waiting, dead]) {
          expect([method, path, role, await request(id, 'other')]).toEqual([method, path, role, unknown]);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(30);
    expect((await api.call('GET', `/v1/jobs/${waiting}`)).json['state']).toBe('ready');
    expect((await api.call('GET', `/v1/jobs/${dead}`)).json['state']).toBe('dead');
  });

  it('sees nothing of others in lists: no item, no count, no further page', async () => {
    const api = await start();
    await jobsOfOthers(api);
    await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'own' }) });
    for (const { method, path, access } of narrowed.filter((route) =>
      /^\/v1\/(jobs|dead-letters)$/.test(route.path),
    )) {
      for (const role of ROLE_TOKENS.filter((each) => access.includes(each))) {
        const list = (query: string) =>
          ask(api, [method, path + query, api.tokens[`own-${role}`], undefined]);
        expect(await list('?account=other')).toEqual(await list('?account=nobody'));
        expect((await list('?account=other')).json).toEqual({ items: [], cursor: null });
        const { items } = (await list('?limit=500')).json as { items: { account: string }[] };
        expect(items.every(({ account }) => account === 'own')).toBe(true);
      }
    }
  });

  it('a job of others takes the same steps as none: by its time nobody learns that it exists', async () => {
    const api = await start();
    const { waiting, dead } = await jobsOfOthers(api);
    const byId = narrowed.filter(({ path }) => path.includes('{id}'));
    for (const { method, path, access } of byId) {
      const role = ROLE_TOKENS.find((each) => access.includes(each)) ?? 'operator';
      const commands = (id: string) =>
        commandsWith(id, () =>
          ask(api, [
            method,
            path.replace('{id}', id).replace('{name}', 'send'),
            api.tokens[`own-${role}`],
            bodies[`${method} ${path}`],
          ]),
        );
      // The first call of a script sends its text too.
      await commands(UNKNOWN_ID);
      const none = await commands(UNKNOWN_ID);
      expect([path, none.length > 0]).toEqual([path, true]);
      for (const id of [waiting, dead]) expect([path, await commands(id)]).toEqual([path, none]);
    }
  });
});
