import { readFileSync } from 'node:fs';
import type { EndpointDisabled, PutEndpointOutcome, WebhookEndpoint, WebhookEndpoints } from './endpoints.js';

/** What is used of a client such as ioredis. */
export interface RedisCommands {
  hget(key: string, field: string): Promise<string | null>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
}

export interface RedisWebhookEndpointsOptions {
  readonly client: RedisCommands;
  /** In front of every key. Default `{fairlane}`. */
  readonly prefix?: string;
}

/** Most endpoints of one account. */
export const MAX_ENDPOINTS = 1_000;

const FOLDER = new URL('../../lua/webhook-endpoints/', import.meta.url);
const [PUT, DISABLE, REMOVE] = ['put', 'disable', 'remove'].map((name) =>
  readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8'),
) as [string, string, string];

/** Endpoints in Redis: one hash of them all, and one an account to find them by URL. */
export function createRedisWebhookEndpoints(options: RedisWebhookEndpointsOptions): WebhookEndpoints {
  const { client, prefix = '{fairlane}' } = options;
  const endpointsKey = `${prefix}:webhooks:endpoints`;
  const urlsKey = (accountId: string) => `${prefix}:webhooks:urls:${accountId}`;

  async function get(id: string): Promise<WebhookEndpoint | undefined> {
    const text = await client.hget(endpointsKey, id);
    return text === null ? undefined : (JSON.parse(text) as WebhookEndpoint);
  }

  return {
    get,

    async find(accountId, url) {
      const id = await client.hget(urlsKey(accountId), url);
      const found = id === null ? undefined : await get(id);
      return found?.accountId === accountId && found.url === url ? found : undefined;
    },

    async put(endpoint) {
      const { id, accountId, url } = endpoint;
      const args = [id, JSON.stringify(endpoint), accountId, url, String(MAX_ENDPOINTS)];
      return (await client.eval(PUT, 2, endpointsKey, urlsKey(accountId), ...args)) as PutEndpointOutcome;
    },

    async remove(id) {
      // An endpoint never changes its account, so the key is right whenever the script runs.
      const found = await get(id);
      if (found === undefined) return false;
      return (await client.eval(REMOVE, 2, endpointsKey, urlsKey(found.accountId), id)) === 1;
    },

    async disable({ id, url }, disabled: EndpointDisabled) {
      return (await client.eval(DISABLE, 1, endpointsKey, id, url, JSON.stringify(disabled))) === 1;
    },
  };
}
