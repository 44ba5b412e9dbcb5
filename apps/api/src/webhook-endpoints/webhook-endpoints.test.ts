import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const start = (options: { allowPrivateTargets?: boolean } = {}) =>
  startApi({ redisUrl: redis.url, prefix: redis.prefix, ...options });

const PATH = '/v1/webhook-endpoints/crm-hook';
const URL_OF_ACME = 'https://9.9.9.9/hook';
const body = { accountId: 'acme', url: URL_OF_ACME };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const MASKED = 'whsec_********';

describe('a webhook endpoint', () => {
  it('tells the secret that was made for it once, and never again', async () => {
    const api = await start();
    const made = await api.call('PUT', PATH, { body });
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: 'crm-hook',
        ...body,
        secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) as unknown,
        disabled: false,
      },
    ]);
    const secret = String(made.json['secret']);
    expect((await api.webhookEndpoints.find('acme', URL_OF_ACME))?.secret).toBe(secret);
    const again = await api.call('PUT', PATH, { body });
    const read = await api.call('GET', PATH);
    for (const { status, json } of [again, read]) {
      expect([status, json['secret']]).toEqual([200, MASKED]);
    }
    expect((await api.webhookEndpoints.get('crm-hook'))?.secret).toBe(secret);
    expect(JSON.stringify(api.log)).not.toContain(secret);
  });

  it('takes a secret of its owner, which no answer and no line of the log repeats', async () => {
    const api = await start();
    const made = await api.call('PUT', PATH, { body: { ...body, secret: SECRET } });
    expect(made.json['secret']).toBe(MASKED);
    expect((await api.webhookEndpoints.get('crm-hook'))?.secret).toBe(SECRET);
    const refused = await api.call('PUT', PATH, { body: { ...body, secret: `${SECRET}!` } });
    expect([refused.status, refused.json['code']]).toEqual([400, 'invalid_request']);
    await api.call('DELETE', PATH);
    expect(made.text + refused.text + JSON.stringify(api.log)).not.toContain(SECRET);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:3000/',
    'ftp://9.9.9.9/',
    'https://user:pw@9.9.9.9/',
    'no URL',
  ])('may not lead to %s, and nothing is stored', async (url) => {
    const api = await start();
    const { status, json } = await api.call('PUT', PATH, { body: { ...body, url } });
    expect([status, json['code']]).toEqual([422, 'forbidden_target']);
    expect(json['detail']).toMatch(/^The target /);
    expect((await api.call('GET', PATH)).status).toBe(404);
  });

  it('may lead inside where that is allowed', async () => {
    const api = await start({ allowPrivateTargets: true });
    expect((await api.call('PUT', PATH, { body: { ...body, url: 'http://127.0.0.1:9/' } })).status).toBe(201);
  });

  it('shows why it was disabled, stays so until it is enabled or has another URL', async () => {
    const api = await start();
    await api.call('PUT', PATH, { body });
    const reason = 'The receiver answered 410: it takes no more webhooks here.';
    const at = '2024-05-01T08:00:00.000Z';
    await api.webhookEndpoints.disable({ id: 'crm-hook', url: URL_OF_ACME }, { reason, at });
    const shown = { disabled: true, disabledReason: reason, disabledAt: at };
    expect((await api.call('GET', PATH)).json).toMatchObject(shown);
    expect((await api.call('PUT', PATH, { body })).json).toMatchObject(shown);
    expect((await api.call('PUT', PATH, { body: { ...body, disabled: true } })).json).toMatchObject(shown);
    const enabled = (await api.call('PUT', PATH, { body: { ...body, disabled: false } })).json;
    expect(enabled).toEqual({ id: 'crm-hook', ...body, secret: MASKED, disabled: false });
    const byHand = (await api.call('PUT', PATH, { body: { ...body, disabled: true } })).json;
    expect(byHand).toMatchObject({ disabled: true, disabledReason: 'Disabled by operator.' });
    const moved = await api.call('PUT', PATH, { body: { ...body, url: 'https://9.9.9.9/new' } });
    expect(moved.json['disabled']).toBe(false);
  });

  it('belongs to one account: a limited token reaches its own only, and no id changes hands', async () => {
    const api = await start();
    await api.call('PUT', PATH, { body });
    const token = api.tokens['own-producer'];
    expect((await api.call('GET', PATH, { token })).json['code']).toBe('endpoint_not_found');
    expect((await api.call('PUT', PATH, { token, body })).json['code']).toBe('account_forbidden');
    expect((await api.call('DELETE', PATH, { token })).json['code']).toBe('account_forbidden');
    const mine = { accountId: 'own', url: URL_OF_ACME };
    expect((await api.call('PUT', PATH, { token, body: mine })).json['code']).toBe('endpoint_conflict');
    expect((await api.call('PUT', '/v1/webhook-endpoints/mine', { token, body: mine })).status).toBe(201);
    expect((await api.call('PUT', '/v1/webhook-endpoints/other', { token, body: mine })).json).toMatchObject({
      code: 'endpoint_conflict',
      detail: 'Another endpoint of the account has this URL.',
    });
    expect((await api.call('DELETE', '/v1/webhook-endpoints/mine', { token })).status).toBe(204);
  });

  it('leaves an audit line of each change, secrets masked', async () => {
    const api = await start();
    await api.call('PUT', PATH, { body });
    await api.call('DELETE', PATH);
    // The log hides what is called a secret, masked or not.
    const view = { id: 'crm-hook', ...body, secret: '[redacted]', disabled: false };
    const target = { endpoint: 'crm-hook', account: 'acme' };
    expect(api.log.filter(({ audit }) => audit === true)).toMatchObject([
      { action: 'put_webhook_endpoint', who: 'operator', target, before: null, after: view },
      { action: 'remove_webhook_endpoint', target, before: view, after: null },
    ]);
  });
});
