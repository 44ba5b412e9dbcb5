import { symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { temporaryFolder } from '../../packages/testkit/src/vitest/index.js';
import { startRedis } from '../../packages/testkit/src/servers/redis.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function start() {
  const folder = temporaryFolder();
  symlinkSync(here('fixtures/fake-docker.mjs'), join(folder, 'docker'));
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startRedis({ command: here('redis-in-docker.sh') });
  onTestFinished(() => server.stop());
  return server;
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}

// The engine is a stand-in here: what is tested is the script's own part, the life of the server.
describe('redis-in-docker.sh', () => {
  it('takes the place of redis-server', async () => {
    const server = await start();
    expect(await isListening(server.port)).toBe(true);
    await server.stop();
    expect(await isListening(server.port)).toBe(false);
  });

  it('ends the server when the client is SIGKILLed, and starts again on its port', async () => {
    const server = await start();
    await server.kill();
    await expect.poll(async () => isListening(server.port)).toBe(false);
    await server.restart();
    expect(await isListening(server.port)).toBe(true);
  });
});
