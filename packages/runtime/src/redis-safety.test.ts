import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from './logger.js';
import { connectRedis, isRedisUnavailable } from './redis-connection.js';
import { assertRedisSafe, redisCheck, UnsafeRedisError } from './redis-safety.js';

const server = useRedis();

function connect(url = server.url) {
  const lines: string[] = [];
  const logger = createLogger({
    app: 'test',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  const redis = connectRedis(url, { name: 'test', logger });
  onTestFinished(() => redis.disconnect());
  return { redis, lines };
}

/** What a command fails with; its text when it does not. */
async function failure(command: Promise<unknown>): Promise<unknown> {
  return command.then(String, (error: unknown) => error);
}

afterEach(async () => {
  await server.client.config('SET', 'maxmemory-policy', 'noeviction');
});

describe('Redis safety', () => {
  it('takes a server that never evicts', async () => {
    const { redis } = connect();
    await assertRedisSafe(redis);
    expect(await redisCheck(redis)()).toBeUndefined();
  });

  it.each(['allkeys-lru', 'volatile-lru'])(
    'A29 refuses the eviction policy %s and says so',
    async (policy) => {
      await server.client.config('SET', 'maxmemory-policy', policy);
      const { redis } = connect();
      await expect(assertRedisSafe(redis)).rejects.toThrow(UnsafeRedisError);
      expect(await redisCheck(redis)()).toContain(`maxmemory-policy is ${policy}`);
    },
  );

  it('takes a database that the server has and refuses one that it does not, where the client would use 0', async () => {
    await assertRedisSafe(connect(`${server.url}/3`).redis);
    const refused = assertRedisSafe(connect(`${server.url}/99`).redis);
    await expect(refused).rejects.toThrow('Redis has no database 99 for us: check the end of REDIS_URL');
  });

  it('says when no server answers, without naming the address', async () => {
    const { redis } = connect('redis://user:hunter2@127.0.0.1:1');
    const error = await assertRedisSafe(redis, 200).catch((error: unknown) => error);
    expect(String(error)).toBe(
      'UnsafeRedisError: Redis did not answer within 200 ms: check REDIS_URL and the server',
    );
    expect(await redisCheck(redis)()).toBe('Redis does not answer');
  });
});

describe('Redis connection', () => {
  it('A39 lives through lost connections, logs each loss once, and comes back by itself', async () => {
    const { redis, lines } = connect();
    await assertRedisSafe(redis);
    const down = new Promise((resolve) => redis.once('close', resolve));
    await server.server.kill();
    await down;
    expect(await redisCheck(redis)()).toBe('Redis does not answer');
    const up = new Promise((resolve) => redis.once('ready', resolve));
    await server.server.restart();
    await up;
    expect(await redisCheck(redis)()).toBeUndefined();
    expect(lines.filter((line) => line.includes('no connection to Redis'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('connected to Redis again'))).toHaveLength(1);
  });
});

describe('isRedisUnavailable', () => {
  it('A28 tells a lost, hanging or full Redis from a wrong command', async () => {
    const { redis } = connect();
    await assertRedisSafe(redis);
    expect(isRedisUnavailable(await failure(redis.call('NOSUCH')))).toBe(false);
    expect(isRedisUnavailable(await failure(redis.lpush('key', 'value')))).toBe(false);
    expect(isRedisUnavailable(await failure(redis.get('key')))).toBe(false);

    await server.client.config('SET', 'maxmemory', '1mb');
    expect(isRedisUnavailable(await failure(redis.set('key', 'value')))).toBe(true);
    await server.client.config('SET', 'maxmemory', '0');

    process.kill(server.server.pid, 'SIGSTOP');
    expect(isRedisUnavailable(await failure(redis.get('key')))).toBe(true);
    process.kill(server.server.pid, 'SIGCONT');

    redis.disconnect();
    expect(isRedisUnavailable(await failure(redis.get('key')))).toBe(true);
    expect(isRedisUnavailable(await failure(connect('redis://127.0.0.1:1').redis.get('key')))).toBe(true);
  });
});
