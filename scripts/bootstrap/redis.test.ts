import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it, vi } from 'vitest';

import { temporaryFolder } from '../../packages/testkit/src/vitest/index.js';
import { findRedis } from './redis.mjs';

/** A PATH with these programs only, each a shell script. */
function path(programs: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder);
  return folder;
}

const server = (version: string) => `echo "Redis server v=${version} sha=00000000:0 malloc=jemalloc-5.2.1"`;

beforeEach(() => {
  vi.stubEnv('REDIS_URL', '');
  return () => vi.unstubAllEnvs();
});

describe('the search for Redis', () => {
  it('takes the server that REDIS_URL names before anything else', async () => {
    path({ 'redis-server': server('7.0.15') });
    vi.stubEnv('REDIS_URL', 'redis://redis.example:6379');
    expect(await findRedis()).toEqual({ url: 'redis://redis.example:6379' });
  });

  it('looks for a program where a server of the user would not do', async () => {
    const folder = path({ 'redis-server': server('7.0.15') });
    vi.stubEnv('REDIS_URL', 'redis://redis.example:6379');
    expect(await findRedis({ acceptUrl: false })).toEqual({ command: join(folder, 'redis-server') });
  });

  it('takes valkey-server where there is no redis-server, or an old one', async () => {
    const valkey = 'echo "Valkey server v=8.0.1 sha=00000000:0"';
    const alone = path({ 'valkey-server': valkey });
    expect(await findRedis()).toEqual({ command: join(alone, 'valkey-server') });
    const beside = path({ 'redis-server': server('5.0.7'), 'valkey-server': valkey });
    expect(await findRedis()).toEqual({ command: join(beside, 'valkey-server') });
  });

  it('takes a Docker engine only if it runs and has the image or gets it', async () => {
    path({ docker: 'exit 0' });
    expect(await findRedis()).toEqual({ command: expect.stringMatching(/redis-in-docker\.sh$/) });
    path({ docker: '[ $1 != image ] && [ $1 != pull ]' });
    await expect(findRedis()).rejects.toThrow('no Redis was found');
    path({ docker: 'echo "Cannot connect to the Docker daemon" >&2; exit 1' });
    await expect(findRedis()).rejects.toThrow('no Redis was found');
  });

  it('says once what to do when there is nothing', async () => {
    path({});
    await expect(findRedis()).rejects.toThrow(/Set REDIS_URL .* install redis-server .* Docker engine/);
  });
});
