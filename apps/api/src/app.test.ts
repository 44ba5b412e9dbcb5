import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from './testing-support/start-api.js';

const redis = useRedis();

it('leaves requests and answers what Node has made them, since changed ones are slow', async () => {
  const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
  const prototypes: unknown[] = [];
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  };
  subscribe('http.server.response.finish', note);
  onTestFinished(() => void unsubscribe('http.server.response.finish', note));
  expect((await api.call('GET', '/v1/queues')).status).toBe(200);
  const [request, response] = prototypes;
  expect(request === IncomingMessage.prototype && response === ServerResponse.prototype).toBe(true);
});
