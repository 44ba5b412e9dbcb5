import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

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
