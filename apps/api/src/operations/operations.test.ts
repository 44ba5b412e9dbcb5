import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { deadJobs, Outside, stateOf } from '../testing-support/dead-jobs.js';
import { openEvents } from '../testing-support/event-client.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const audited = (api: ApiUnderTest) => api.log.filter(({ audit }) => audit === true);

async function replay(api: ApiUnderTest, body: unknown, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return api.call('POST', '/v1/dead-letters/replay', { body, headers });
}

async function operationOf(api: ApiUnderTest, id: unknown) {
  return (await api.call('GET', `/v1/operations/${String(id)}`)).json;
}

describe('POST /v1/dead-letters/replay', () => {
  it('A21 counts first, then replays what was counted; the operation is audited and told', async () => {
    const api = await start();
    const [unclear = ''] = await deadJobs(redis, api, Outside.hangsUp);
    const [first = '', second = ''] = await deadJobs(redis, api, Outside.refuses, [{}, {}]);
    const dry = await replay(api, { all: true, dryRun: true });
    expect([dry.status, dry.json]).toMatchObject([
      200,
      { matched: 2, byCode: { rejected: 2 }, byAccount: [{ matched: 2 }], unresolved: 1, complete: true },
    ]);
    expect(await stateOf(api, first)).toBe('dead');
    expect(audited(api)).toEqual([]);
    const [later = ''] = await deadJobs(redis, api, Outside.refuses);

    const stream = await openEvents(api);
    const filter = { until: dry.json['until'] };
    const { status, json } = await replay(api, { filter, all: true });
    expect([status, json]).toMatchObject([202, { matched: 2, byCode: { rejected: 2 } }]);
    const operation = String(json['operation']);
    await expect.poll(async () => (await operationOf(api, operation))['state']).toBe('done');
    expect(await operationOf(api, operation)).toMatchObject({
      id: operation,
      kind: 'replay',
      matched: 2,
      done: 2,
      failed: 0,
      by: 'operator',
    });
    const states = await Promise.all([first, second, unclear, later].map(async (id) => stateOf(api, id)));
    expect(states).toEqual(['ready', 'ready', 'dead', 'dead']);
    expect(audited(api)).toMatchObject([
      {
        who: 'operator',
        action: 'replay_dead_letters',
        target: { operation },
        before: { filter, matched: 2, byCode: { rejected: 2 }, unresolved: 1 },
      },
    ]);
    await expect.poll(() => stream.events.flatMap(({ data }) => data.operations)).toContain(operation);
  });

  it('takes an empty filter only with `all`, and says so', async () => {
    const api = await start();
    for (const body of [{}, { filter: {} }, { filter: { until: '2030-01-01T00:00:00Z' } }, { all: false }]) {
      const { status, json } = await replay(api, body);
      expect([status, json['code']]).toEqual([422, 'empty_filter']);
      expect(json['detail']).toContain('"all": true');
    }
    for (const body of [{ filter: { colour: 'red' } }, { all: true, perSecond: 1_001 }]) {
      expect((await replay(api, body)).json['code']).toBe('invalid_request');
    }
  });

  it('starts once for an Idempotency-Key', async () => {
    const api = await start();
    const filter = { code: 'rejected' };
    const first = await replay(api, { filter }, 'k1');
    expect((await replay(api, { filter }, 'k1')).json).toEqual(first.json);
    const other = await replay(api, { filter, perSecond: 5 }, 'k1');
    expect([other.status, other.json['code']]).toEqual([409, 'idempotency_conflict']);
    expect(audited(api)).toHaveLength(1);
  });
});

describe('POST /v1/operations/{id}/cancel', () => {
  it('is listed while it runs, and stopped with one audit line; an ended one is answered as it ended', async () => {
    const api = await start();
    const ids = await deadJobs(redis, api, Outside.refuses, [{}, {}, {}]);
    const { json } = await replay(api, { all: true, perSecond: 1 });
    const path = `/v1/operations/${String(json['operation'])}/cancel`;
    const listed = async (token = api.tokens.operator) =>
      ((await api.call('GET', '/v1/operations', { token })).json['items'] as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await listed()).toEqual([json['operation']]);
    expect(await listed(api.tokens['own-operator'])).toEqual([]);
    for (const _time of [1, 2]) {
      const { status, json: operation } = await api.call('POST', path);
      expect([status, operation['state']]).toEqual([200, 'cancelled']);
    }
    expect(await listed()).toEqual([]);
    expect(audited(api).map(({ action }) => action)).toEqual(['replay_dead_letters', 'cancel_operation']);
    const { done } = await operationOf(api, json['operation']);
    const states = await Promise.all(ids.map(async (id) => stateOf(api, id)));
    expect(states.filter((state) => state === 'ready')).toHaveLength(Number(done));
    const unknown = await api.call('POST', '/v1/operations/nope/cancel');
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'operation_not_found']);
  });
});
