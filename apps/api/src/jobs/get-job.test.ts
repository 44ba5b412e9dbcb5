import { openQueues } from '@fairlane/queue';
import { PermanentError, ThrottledError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { catalogue, message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';
import { startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

describe('GET /v1/jobs/{id}', () => {
  it('shows a job, without its payload', async () => {
    const api = await start();
    const body = message({ accountId: 'a1', campaign: 'spring', to: 'hunter2@example.com' });
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body });
    const view = await api.call('GET', `/v1/jobs/${String(json['id'])}`, { token: api.tokens.viewer });
    expect(view.status).toBe(200);
    expect(view.json).toMatchObject({
      id: json['id'],
      key: json['key'],
      name: 'message.send',
      version: 1,
      queue: 'outreach',
      account: 'a1',
      limitGroup: 'email',
      tag: 'spring',
      state: 'ready',
      attempts: { made: 0, max: 8 },
      effects: [],
    });
    expect(view.text).not.toContain('hunter2');
  });

  it('tells every failed attempt of one job, to viewers too, and in a list the last alone', async () => {
    const api = await start();
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'a1' }) });
    let runs = 0;
    await startWorker(redis, () => {
      runs += 1;
      if (runs === 1) throw new ThrottledError({ retryAfterMs: 20 });
      throw new PermanentError({ code: 'target_gone', reason: 'it moved' });
    });
    const token = api.tokens.viewer;
    const read = async () => (await api.call('GET', `/v1/jobs/${String(json['id'])}`, { token })).json;
    await expect.poll(async () => (await read())['state']).toBe('dead');
    const [worker, at] = [expect.any(String) as string, expect.stringMatching(/Z$/) as string];
    expect((await read())['failures']).toEqual([
      { attempt: 1, code: 'target_gone', class: 'permanent', message: 'it moved', at, worker },
      {
        attempt: 1,
        code: 'throttled',
        class: 'throttled',
        message: expect.any(String) as string,
        at,
        worker,
      },
    ]);
    const list = await api.call('GET', '/v1/jobs?account=a1', { token });
    expect(list.json['items']).toMatchObject([{ lastError: { code: 'target_gone' } }]);
    expect(list.text).not.toContain('"failures"');
  });

  it('a job of another producer opens with what is known, in the queue that is asked for, and cannot be changed', async () => {
    const api = await start();
    const queues = openQueues({ redis: redis.url, prefix: redis.prefix, catalogue });
    for (const queue of queues) await queue.add(`${queue.name}.other`, { from: queue.name });
    await Promise.all(queues.map((queue) => queue.close()));
    const token = api.tokens.viewer;
    const list = await api.call('GET', '/v1/jobs?queue=bulk', { token });
    expect(list.json['items']).toMatchObject([{ id: '1', queue: 'bulk', readOnly: true }]);
    const view = await api.call('GET', '/v1/jobs/1?queue=bulk', { token });
    expect([view.status, view.json]).toMatchObject([
      200,
      { id: '1', name: 'bulk.other', queue: 'bulk', account: '', key: '', state: 'ready', readOnly: true },
    ]);
    const payload = await api.call('GET', '/v1/jobs/1/payload?queue=critical');
    expect([payload.status, payload.text]).toEqual([200, '{"from":"critical"}']);
    for (const path of ['/v1/jobs/1?queue=meta', '/v1/jobs/1?queue=none', '/v1/jobs/2']) {
      expect([path, (await api.call('GET', path)).json['code']]).toEqual([path, 'job_not_found']);
    }
    const cancel = await api.call('POST', '/v1/jobs/1/cancel');
    expect([cancel.status, cancel.json['code']]).toEqual([404, 'job_not_found']);
    const own = await api.call('GET', '/v1/jobs/1?queue=bulk', { token: api.tokens['own-viewer'] });
    expect(own.status).toBe(404);
  });

  it('answers 404 for ids that never were, malformed ones too', async () => {
    const api = await start();
    for (const id of [
      'AAAAAAAAAAAAAAAAAAAAAA',
      'x',
      '__proto__',
      '*',
      '%7Bfairlane%7D:outreach:1',
      'é',
      '..%2f',
    ]) {
      const { status, json } = await api.call('GET', `/v1/jobs/${id}`);
      expect([id, status, json['code']]).toEqual([id, 404, 'job_not_found']);
    }
  });

  it('answers for a job of a foreign account exactly as for none', async () => {
    const api = await start();
    const { json } = await api.call('POST', '/v1/jobs/message.send', {
      body: message({ accountId: 'other' }),
    });
    for (const role of ['own-producer', 'own-viewer', 'own-operator'] as const) {
      const token = api.tokens[role];
      const headers = { 'x-request-id': 'same' };
      const foreign = await api.call('GET', `/v1/jobs/${String(json['id'])}`, { token, headers });
      const unknown = await api.call('GET', '/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA', { token, headers });
      expect([role, foreign.status, foreign.text]).toEqual([role, 404, unknown.text]);
    }
    const own = await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'own' }) });
    const shown = await api.call('GET', `/v1/jobs/${String(own.json['id'])}`, {
      token: api.tokens['own-viewer'],
    });
    expect(shown.status).toBe(200);
  });
});
