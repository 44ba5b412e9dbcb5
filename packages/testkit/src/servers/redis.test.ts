import { access } from 'node:fs/promises';

import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';

import { isAlive } from './liveness.js';
import { startRedis, type RedisServerOptions } from './redis.js';

async function start(options: RedisServerOptions = {}) {
  const server = await startRedis(options);
  const client = new Redis(server.url);
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  return { server, client };
}

describe('startRedis', () => {
  it('never evicts and appends to a file, with the settings asked for', async () => {
    const { client } = await start({ appendfsync: 'always', config: { hz: '50' } });
    expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await client.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
    expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    expect(await client.config('GET', 'hz')).toEqual(['hz', '50']);
  });

  it('keeps what was written when it is killed and restarted on the same port', async () => {
    const { server, client } = await start();
    const { port, pid } = server;
    await client.set('answer', '42');
    await server.kill();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    expect(await client.get('answer')).toBe('42');
  });

  it('stop ends the process and removes its temporary folder', async () => {
    const server = await startRedis();
    const { pid, dir } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await expect(access(dir)).rejects.toThrow('ENOENT');
  });

  it('says what the program printed when it does not start', async () => {
    await expect(startRedis({ config: { hz: 'often' } })).rejects.toThrow(/hz/);
  });
});
