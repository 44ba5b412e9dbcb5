import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';

import { PATIENCE_MS } from './patience.js';
import { expectNoOtherConnection, useRedis } from './use-redis.js';

const redis = useRedis();
const prefixes = new Set<string>();

describe('useRedis', () => {
  it.each([1, 2, 3])('gives test %i a prefix of its own', () => {
    expect(prefixes).not.toContain(redis.prefix);
    prefixes.add(redis.prefix);
  });

  it('reports a connection that was left open', async () => {
    const leaked = new Redis(redis.url);
    await leaked.client('SETNAME', 'leaked');
    await expect(expectNoOtherConnection(redis.client, 100)).rejects.toThrow('name=leaked');
    leaked.disconnect();
    await expectNoOtherConnection(redis.client, PATIENCE_MS);
  });
});
