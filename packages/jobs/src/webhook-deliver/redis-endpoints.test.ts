import { useRedis } from '@fairlane/testkit/vitest';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEndpoint, WebhookEndpoints } from './endpoints.js';
import { createRedisWebhookEndpoints, MAX_ENDPOINTS } from './redis-endpoints.js';

const redis = useRedis();
let endpoints: WebhookEndpoints;

beforeEach(() => {
  endpoints = createRedisWebhookEndpoints({ client: redis.client, prefix: redis.prefix });
});

const url = 'https://acme.example/hook';
const endpoint: WebhookEndpoint = { id: 'main', accountId: 'acme', url, secret: 'whsec_x' };
const disabled = { reason: 'It is gone.', at: '2024-01-01T00:00:00.000Z' };

describe('endpoints in Redis', () => {
  it('are found by id, and by account and URL', async () => {
    expect(await endpoints.put(endpoint)).toBe('stored');
    expect(await endpoints.get('main')).toEqual(endpoint);
    expect(await endpoints.find('acme', url)).toEqual(endpoint);
    expect(await endpoints.find('globex', url)).toBeUndefined();
    expect(await endpoints.find('acme', `${url}/other`)).toBeUndefined();
  });

  it('can be changed, the old URL is no longer theirs', async () => {
    await endpoints.put(endpoint);
    const moved = { ...endpoint, url: 'https://acme.example/new', secret: 'whsec_y' };
    expect(await endpoints.put(moved)).toBe('stored');
    expect(await endpoints.find('acme', url)).toBeUndefined();
    expect(await endpoints.find('acme', moved.url)).toEqual(moved);
  });

  it('are enabled again by putting them', async () => {
    await endpoints.put({ ...endpoint, disabled });
    await endpoints.put(endpoint);
    expect(await endpoints.get('main')).toEqual(endpoint);
  });

  it("do not take another account's id", async () => {
    await endpoints.put(endpoint);
    expect(await endpoints.put({ ...endpoint, accountId: 'globex' })).toBe('other_account');
    expect(await endpoints.get('main')).toEqual(endpoint);
    expect(await endpoints.find('globex', url)).toBeUndefined();
  });

  it('have a URL of an account once, whereas two accounts may share one', async () => {
    await endpoints.put(endpoint);
    expect(await endpoints.put({ ...endpoint, id: 'second' })).toBe('url_taken');
    expect(await endpoints.put({ ...endpoint, id: 'theirs', accountId: 'globex' })).toBe('stored');
    expect(await endpoints.find('globex', url)).toMatchObject({ id: 'theirs' });
  });

  it('R14 are so many of an account at most', async () => {
    const puts = Array.from({ length: MAX_ENDPOINTS }, (_value, at) =>
      endpoints.put({ ...endpoint, id: `e${at}`, url: `${url}/${at}` }),
    );
    expect(new Set(await Promise.all(puts))).toEqual(new Set(['stored']));
    expect(await endpoints.put({ ...endpoint, id: 'more' })).toBe('too_many');
    expect(await endpoints.put({ ...endpoint, id: 'e1', url: `${url}/moved` })).toBe('stored');
  });

  it('are removed with their URL', async () => {
    await endpoints.put(endpoint);
    expect(await endpoints.remove('main')).toBe(true);
    expect(await endpoints.remove('main')).toBe(false);
    expect(await endpoints.find('acme', url)).toBeUndefined();
    expect(await redis.client.keys(`${redis.prefix}*`)).toEqual([]);
  });

  it('are disabled once, with a reason', async () => {
    await endpoints.put(endpoint);
    expect(await endpoints.disable(endpoint, disabled)).toBe(true);
    expect(await endpoints.disable(endpoint, { ...disabled, reason: 'Again.' })).toBe(false);
    expect(await endpoints.find('acme', url)).toEqual({ ...endpoint, disabled });
  });

  it('are not disabled for what an earlier URL answered', async () => {
    await endpoints.put({ ...endpoint, url: 'https://acme.example/new' });
    expect(await endpoints.disable(endpoint, disabled)).toBe(false);
    expect(await endpoints.disable({ id: 'none', url }, disabled)).toBe(false);
  });

  it('A25 take names of the language for ids and accounts', async () => {
    const odd = { ...endpoint, id: '__proto__', accountId: 'constructor' };
    expect(await endpoints.put(odd)).toBe('stored');
    expect(await endpoints.find('constructor', url)).toEqual(odd);
    expect(await endpoints.get('toString')).toBeUndefined();
  });
});
