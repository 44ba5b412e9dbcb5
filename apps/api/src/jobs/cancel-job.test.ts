import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';
import { gatedHandler, startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

async function enqueue(
  api: ApiUnderTest,
  overrides: Record<string, unknown> = {},
  query = '',
): Promise<string> {
  const { json } = await api.call('POST', `/v1/jobs/message.send${query}`, { body: message(overrides) });
  return String(json['id']);
}

async function stateOf(api: ApiUnderTest, id: string): Promise<unknown> {
  return (await api.call('GET', `/v1/jobs/${id}`)).json['state'];
}

describe('POST /v1/jobs/{id}/cancel', () => {
  it('ends a waiting and a scheduled job, once, with an audit line', async () => {
    const api = await start();
    for (const query of ['', '?delayMs=60000']) {
      const id = await enqueue(api, {}, query);
      const { status, json } = await api.call('POST', `/v1/jobs/${id}/cancel`, {
        token: api.tokens.producer,
      });
      expect([status, json]).toEqual([200, { id, status: 'cancelled' }]);
      expect(await stateOf(api, id)).toBe('cancelled');
      const again = await api.call('POST', `/v1/jobs/${id}/cancel`);
      expect([again.status, again.json['code']]).toEqual([409, 'already_finished']);
    }
    expect(api.log.filter(({ audit }) => audit === true)).toMatchObject([
      {
        who: 'producer',
        action: 'cancel_job',
        before: 'ready',
        after: 'cancelled',
        target: { account: 'a1' },
      },
      { who: 'producer', action: 'cancel_job', before: 'scheduled', after: 'cancelled' },
    ]);
  });

  it('R12 makes room for the same work to be handed in again', async () => {
    const api = await start();
    const body = message();
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body });
    await api.call('POST', `/v1/jobs/${String(json['id'])}/cancel`);
    const again = await api.call('POST', '/v1/jobs/message.send', { body });
    expect([again.status, again.json]).toMatchObject([202, { status: 'accepted', id: json['id'] }]);
  });

  it('aborts the signal of a running job', async () => {
    const api = await start();
    const { handler, started } = gatedHandler();
    await startWorker(redis, handler);
    const id = await enqueue(api, { leadId: 'running' });
    await expect.poll(() => started.has('running')).toBe(true);
    const { status, json } = await api.call('POST', `/v1/jobs/${id}/cancel`);
    expect([status, json]).toEqual([200, { id, status: 'cancelling' }]);
    await expect.poll(() => stateOf(api, id)).toBe('cancelled');
  });

  it('finds nothing to cancel where there is no job', async () => {
    const api = await start();
    for (const id of ['AAAAAAAAAAAAAAAAAAAAAA', 'x', '__proto__']) {
      const { status, json } = await api.call('POST', `/v1/jobs/${id}/cancel`);
      expect([id, status, json['code']]).toEqual([id, 404, 'job_not_found']);
    }
  });

  it('a token limited to accounts cancels its own jobs only, and cannot tell a foreign job from none', async () => {
    const api = await start();
    const token = api.tokens['own-producer'];
    const own = await enqueue(api, { accountId: 'own' });
    const other = await enqueue(api, { accountId: 'other' });
    const headers = { 'x-request-id': 'same' };
    const foreign = await api.call('POST', `/v1/jobs/${other}/cancel`, { token, headers });
    const none = await api.call('POST', '/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA/cancel', { token, headers });
    expect([foreign.status, foreign.json['code'], foreign.text]).toEqual([
      403,
      'account_forbidden',
      none.text,
    ]);
    expect(await stateOf(api, other)).toBe('ready');
    expect((await api.call('POST', `/v1/jobs/${own}/cancel`, { token })).status).toBe(200);
  });
});

describe('results', () => {
  it('are for producers and operators, not for viewers', async () => {
    const api = await start();
    await startWorker(redis, () => ({ messageId: 'm1' }));
    const id = await enqueue(api);
    await expect.poll(() => stateOf(api, id)).toBe('completed');
    for (const [token, result] of [
      [api.tokens.operator, { messageId: 'm1' }],
      [api.tokens.producer, { messageId: 'm1' }],
      [api.tokens.viewer, undefined],
    ] as const) {
      const one = await api.call('GET', `/v1/jobs/${id}`, { token });
      expect(one.json['result']).toEqual(result);
      const list = await api.call('GET', '/v1/jobs', { token });
      expect(list.json).toMatchObject({ items: [{ id }] });
      expect((list.json['items'] as { result?: unknown }[])[0]?.result).toEqual(result);
    }
  });
});
