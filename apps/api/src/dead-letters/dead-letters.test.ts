import { createCatalogue, defineQueues } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { catalogue, message } from '../testing-support/catalogue.js';
import { deadJobs, Outside, startSender, stateOf } from '../testing-support/dead-jobs.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const audited = (api: ApiUnderTest) => api.log.filter(({ audit }) => audit === true);
const unknownId = 'AAAAAAAAAAAAAAAAAAAAAA';

async function listed(api: ApiUnderTest, query: string, token?: string): Promise<unknown[]> {
  const { status, json } = await api.call(
    'GET',
    `/v1/dead-letters${query}`,
    token === undefined ? {} : { token },
  );
  expect(status).toBe(200);
  return (json['items'] as { id: string }[]).map(({ id }) => id);
}

describe('GET /v1/dead-letters', () => {
  it('lists code, reason and attempts, the latest first, by every filter', async () => {
    const api = await start();
    const spring = { accountId: 'own', campaign: 'spring' };
    const [first, second] = await deadJobs(redis, api, Outside.refuses, [spring, {}]);
    const [third] = await deadJobs(redis, api, Outside.hangsUp);
    expect(await listed(api, '')).toEqual([third, second, first]);
    expect(await listed(api, '?code=unknown_outcome')).toEqual([third]);
    expect(await listed(api, '?account=own')).toEqual([first]);
    expect(await listed(api, '?tag=spring&name=message.send&code=rejected')).toEqual([first]);
    expect(await listed(api, `?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await listed(api, `?until=${new Date(Date.now() - 60_000).toISOString()}`)).toEqual([]);
    expect(await listed(api, `?until=${new Date(Date.now() + 60_000).toISOString()}&limit=1`)).toEqual([
      third,
    ]);
    const { json } = await api.call('GET', '/v1/dead-letters?account=own');
    expect(json['items']).toMatchObject([
      {
        account: 'own',
        tag: 'spring',
        code: 'rejected',
        reason: 'no such lead',
        attempts: { made: 1, max: 8 },
      },
    ]);

    const page = await api.call('GET', '/v1/dead-letters?limit=2');
    const cursor = String(page.json['cursor']);
    expect(await listed(api, `?limit=2&cursor=${cursor}`)).toEqual([first]);
    expect((await api.call('GET', `/v1/jobs?cursor=${cursor}`)).status).toBe(400);

    expect(await listed(api, '', api.tokens['own-viewer'])).toEqual([first]);
    expect(await listed(api, '?account=a1', api.tokens['own-viewer'])).toEqual([]);
  });
});

describe('GET /v1/dead-letters/codes', () => {
  it('counts all that match, of the accounts of the token only', async () => {
    const api = await start();
    await deadJobs(redis, api, Outside.refuses, [{ accountId: 'own' }, {}]);
    await deadJobs(redis, api, Outside.hangsUp);
    const counted = async (query: string, token = api.tokens.viewer) =>
      (await api.call('GET', `/v1/dead-letters/codes${query}`, { token })).json;
    const all = { matched: 3, byCode: { rejected: 2, unknown_outcome: 1 }, complete: true };
    expect(await counted('')).toEqual(all);
    expect(await counted('?account=a1&code=rejected')).toMatchObject({ byCode: { rejected: 1 } });
    const own = { matched: 1, byCode: { rejected: 1 }, complete: true };
    expect(await counted('', api.tokens['own-viewer'])).toEqual(own);
    const nothing = { matched: 0, byCode: {}, complete: true };
    expect(await counted('?account=a1', api.tokens['own-viewer'])).toEqual(nothing);
    expect(await counted(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual(nothing);
  });
});

describe('POST /v1/dead-letters/{id}/replay', () => {
  it('R2 runs the job again as a new run, with an audit line', async () => {
    const api = await start();
    const [id = ''] = await deadJobs(redis, api, Outside.refuses, [{ leadId: 'again' }]);
    const { status, json } = await api.call('POST', `/v1/dead-letters/${id}/replay`);
    expect([status, json]).toEqual([202, { id, status: 'replayed' }]);
    expect(audited(api)).toMatchObject([
      {
        who: 'operator',
        action: 'replay_dead_letter',
        target: { id, account: 'a1' },
        before: { state: 'dead', code: 'rejected' },
        after: 'replayed',
      },
    ]);
    const outside = new Outside();
    await startSender(redis, api, outside);
    await expect.poll(() => stateOf(api, id)).toBe('completed');
    expect(outside.sent).toEqual(['again']);
  });

  it.each(['replay', 'purge'] as const)('%s says what it cannot find or touch', async (action) => {
    const api = await start();
    const body = message();
    const waiting = String(
      (await api.call('POST', '/v1/jobs/message.send?delayMs=60000', { body })).json['id'],
    );
    const act = async (id: string, token = api.tokens.operator) => {
      const [method, path] = action === 'replay' ? ['POST', '/replay'] : ['DELETE', ''];
      const { status, json } = await api.call(method, `/v1/dead-letters/${id}${path}`, { token });
      return [status, json['code']];
    };
    expect(await act(unknownId)).toEqual([404, 'job_not_found']);
    expect(await act('x')).toEqual([404, 'job_not_found']);
    expect(await act(waiting)).toEqual([409, 'not_dead']);
    for (const id of [waiting, unknownId]) {
      expect(await act(id, api.tokens['own-operator'])).toEqual([403, 'account_forbidden']);
    }
    expect(await act(waiting, api.tokens.producer)).toEqual([403, 'forbidden']);
    expect(audited(api)).toEqual([]);
    expect(await stateOf(api, waiting)).toBe('scheduled');
  });
});

describe('DELETE /v1/dead-letters/{id}', () => {
  it('R12 A05 removes it and frees its key, with an audit line', async () => {
    const api = await start();
    const [id = ''] = await deadJobs(redis, api, Outside.refuses, [{ leadId: 'anew' }]);
    const body = message({ leadId: 'anew' });
    expect((await api.call('POST', '/v1/jobs/message.send', { body })).json).toMatchObject({
      status: 'duplicate',
      state: 'dead',
    });
    const { status, text } = await api.call('DELETE', `/v1/dead-letters/${id}`);
    expect([status, text]).toEqual([204, '']);
    expect(audited(api)).toMatchObject([{ action: 'purge_dead_letter', target: { id, account: 'a1' } }]);
    expect((await api.call('GET', `/v1/jobs/${id}`)).status).toBe(404);
    expect(await listed(api, '')).toEqual([]);
    const again = await api.call('POST', '/v1/jobs/message.send', { body });
    expect([again.status, again.json]).toMatchObject([202, { status: 'accepted', id }]);
  });
});

describe('a dead letter whose queue is not declared any more', () => {
  it('is refused with the name of the queue, and nothing is audited', async () => {
    const [id = ''] = await deadJobs(redis, await start(), Outside.refuses);
    const without = createCatalogue({
      jobs: [],
      queues: defineQueues({ bulk: { slots: 1 } }, { rules: [{ queue: 'bulk' }] }),
      limitGroups: catalogue.limitGroups,
    });
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix, catalogue: without });
    for (const [method, path] of [
      ['POST', `/v1/dead-letters/${id}/replay`],
      ['DELETE', `/v1/dead-letters/${id}`],
    ] as const) {
      const { status, json } = await api.call(method, path);
      expect([status, json['code']]).toEqual([409, 'undeclared_queue']);
      expect(json['detail']).toContain('The queue outreach is not declared');
    }
    expect(await stateOf(api, id)).toBe('dead');
    expect(audited(api)).toEqual([]);
  });
});

describe('POST /v1/jobs/{id}/effects/{name}/resolve', () => {
  it('R2 lets a job go on whose replay is refused until then, and nothing is sent twice', async () => {
    const api = await start();
    const [id = ''] = await deadJobs(redis, api, Outside.hangsUp);
    const refused = await api.call('POST', `/v1/dead-letters/${id}/replay`);
    expect([refused.status, refused.json['code']]).toEqual([409, 'unresolved_effect']);

    const body = { outcome: 'applied', externalId: 'm-7' };
    const path = `/v1/jobs/${id}/effects/send/resolve`;
    const { status, json } = await api.call('POST', path, { body });
    expect([status, json]).toEqual([200, { id, effect: 'send', ...body, status: 'replayed' }]);
    expect(audited(api)).toMatchObject([
      {
        who: 'operator',
        action: 'resolve_effect',
        target: { id, account: 'a1', effect: 'send' },
        before: 'unknown',
        after: { ...body, job: 'replayed' },
      },
    ]);
    const outside = new Outside();
    await startSender(redis, api, outside);
    await expect.poll(() => stateOf(api, id)).toBe('completed');
    expect(outside.sent).toEqual([]);
    expect((await api.call('GET', `/v1/jobs/${id}`)).json).toMatchObject({
      result: { id: 'm-7' },
      effects: [{ name: 'send', state: 'done', externalId: 'm-7' }],
    });
    const again = await api.call('POST', path, { body });
    expect([again.status, again.json['code']]).toEqual([409, 'nothing_unresolved']);
  });

  it('says what it cannot find, take or touch', async () => {
    const api = await start();
    const [id = ''] = await deadJobs(redis, api, Outside.hangsUp);
    const resolve = async (path: string, body: unknown, token = api.tokens.operator) => {
      const { status, json } = await api.call('POST', `/v1/jobs/${path}/resolve`, { body, token });
      return [status, json['code']];
    };
    const applied = { outcome: 'applied' };
    expect(await resolve(`${unknownId}/effects/send`, applied)).toEqual([404, 'job_not_found']);
    expect(await resolve(`${id}/effects/other`, applied)).toEqual([404, 'unknown_effect']);
    expect(await resolve(`${id}/effects/send`, { outcome: 'maybe' })).toEqual([400, 'invalid_request']);
    const contradiction = { outcome: 'not_applied', externalId: 'm-7' };
    expect(await resolve(`${id}/effects/send`, contradiction)).toEqual([400, 'invalid_request']);
    expect(await resolve(`${id}/effects/send`, applied, api.tokens['own-operator'])).toEqual([
      403,
      'account_forbidden',
    ]);
    expect(await resolve(`${id}/effects/send`, applied, api.tokens.limits)).toEqual([403, 'forbidden']);
    expect(await stateOf(api, id)).toBe('dead');
    expect(audited(api)).toEqual([]);
  });
});
