import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it } from 'vitest';
import { routes } from '../routes.js';
import { message } from '../testing-support/catalogue.js';
import { ROLE_TOKENS, startApi } from '../testing-support/start-api.js';

const redis = useRedis();

it('A32 no token, wrong or right, no payload and no query comes into a log, whatever is asked', async () => {
  const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
  const wrong = 'wrong-token-0123456789';
  const marks = {
    to: 'secret-to@example.com',
    body: 'secret-body',
    search: 'secret-search',
    cookie: 'secret-cookie',
  };
  for (const { method, path } of routes.filter((route) => route.path !== '/v1/events')) {
    const concrete = path.replaceAll(/\{name\}/g, 'message.send').replaceAll(/\{\w+\}/g, 'own');
    for (const token of [
      null,
      wrong,
      ...ROLE_TOKENS.flatMap((role) => [api.tokens[role], api.tokens[`own-${role}`]]),
    ]) {
      // Most routes refuse the query before anything else: their handlers are asked without one too.
      for (const query of ['', `?search=${marks.search}&token=${wrong}`]) {
        await api.call(method, `${concrete}${query}`, {
          token,
          headers: { cookie: `session=${marks.cookie}` },
          ...(method === 'get'
            ? {}
            : { body: { ...message({ accountId: 'own' }), to: marks.to, body: marks.body } }),
        });
      }
    }
  }
  const { status } = await api.call('POST', '/v1/jobs/message.send', { body: message({ ...marks }) });
  expect(status).toBe(202);
  const log = JSON.stringify(api.log);
  expect(api.log.length).toBeGreaterThan(routes.length);
  for (const secret of [wrong, ...Object.values(api.tokens), ...Object.values(marks)]) {
    expect([secret, log.includes(secret)]).toEqual([secret, false]);
  }
});
