import { describe, expect, it } from 'vitest';
import { redisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://user:p%40ss@redis.example.com:6380/2'])(
    'leaves %s to the client',
    (url) => {
      expect(redisUrl.parse(url)).toBe(url);
    },
  );

  it('names Sentinels and their master', () => {
    expect(redisUrl.parse('redis+sentinel://s1.example.com:26380,s2,[::1]:26381/mymaster')).toEqual({
      sentinels: [
        { host: 's1.example.com', port: 26_380 },
        { host: 's2', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      name: 'mymaster',
      sentinelCommandTimeout: 2_000,
    });
  });

  it('gives accounts of the master and of the Sentinels, a database, and TLS for both', () => {
    const url =
      'rediss+sentinel://fairlane:p%40ss%3Aw@s1:26379/main/3?sentinelUsername=watch&sentinelPassword=s%26s';
    expect(redisUrl.parse(url)).toEqual({
      sentinels: [{ host: 's1', port: 26_379 }],
      name: 'main',
      username: 'fairlane',
      password: 'p@ss:w',
      db: 3,
      sentinelUsername: 'watch',
      sentinelPassword: 's&s',
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
      sentinelCommandTimeout: 2_000,
    });
  });

  it.each(['redis://127.0.0.1:6379/fairlane', 'redis://127.0.0.1/1/2', 'rediss://127.0.0.1/-1'])(
    'refuses %s: what follows the host is no number of a database',
    (url) => {
      const { error } = redisUrl.safeParse(url);
      expect(error?.message).toContain('the number of a database, as in redis://HOST:6379/2');
      expect(error?.message).not.toContain(url);
    },
  );

  it.each([
    'localhost:6379',
    'http://localhost',
    'redis+sentinel://s1:26379',
    'redis+sentinel://s1:99999/main',
    'redis+sentinel:///main',
    'redis+sentinel://s1,/main',
    'redis+sentinel://:secret%zz@s1/main',
    'redis+sentinel://s1/main?quorum=2',
  ])('refuses %s without repeating it', (url) => {
    const { success, error } = redisUrl.safeParse(url);
    expect(success).toBe(false);
    expect(error?.message).not.toContain(url);
    expect(error?.message).toContain('redis+sentinel://HOST:PORT');
  });
});
