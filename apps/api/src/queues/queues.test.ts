import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

describe('queues', () => {
  it('counts the jobs of each declared queue by state', async () => {
    const api = await start();
    await api.call('POST', '/v1/jobs/message.send', { body: message() });
    await api.call('POST', '/v1/jobs/message.send?delayMs=60000', { body: message() });
    await api.call('POST', '/v1/jobs/message.send?priority=5', { body: message() });
    const one = await api.call('GET', '/v1/queues/outreach', { token: api.tokens.viewer });
    const counts = {
      scheduled: 1,
      ready: 2,
      held: 0,
      active: 0,
      retrying: 0,
      completed: 0,
      dead: 0,
      cancelled: 0,
    };
    expect(one.json).toEqual({
      queue: 'outreach',
      counts,
      paused: false,
      oldestEligibleAgeMs: expect.any(Number) as number,
      slots: { min: 10, max: 10 },
    });
    const all = await api.call('GET', '/v1/queues', { token: api.tokens.viewer });
    const items = all.json['items'] as { queue: string }[];
    expect(items.map(({ queue }) => queue).toSorted()).toEqual(['bulk', 'critical', 'outreach']);
    expect(items.find(({ queue }) => queue === 'outreach')).toMatchObject({ counts });
  });

  it('answers 404 for a queue that is not declared', async () => {
    const api = await start();
    for (const name of ['nope', '__proto__', 'constructor', 'toString']) {
      const { status, json } = await api.call('GET', `/v1/queues/${name}`);
      expect([name, status, json['code']]).toEqual([name, 404, 'unknown_queue']);
    }
  });
});
