import { mkdtempSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { startRedis } from '../../packages/testkit/src/servers/redis.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlane-docker-'));
  symlinkSync(here('fixtures/fake-docker.mjs'), join(folder, 'docker'));
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  return () => vi.unstubAllEnvs();
});

async function start() {
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
    await vi.waitFor(async () => expect(await isListening(server.port)).toBe(false), 5_000);
    await server.restart();
    expect(await isListening(server.port)).toBe(true);
  });
});
