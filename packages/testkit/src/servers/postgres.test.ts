import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { isAlive } from './liveness.js';
import { startPostgres } from './postgres.js';

/** The answer to a request for TLS: one byte, S or N, from a server that takes connections. */
async function greet(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('startPostgres', () => {
  it('starts a server that takes connections, survives a crash on its port, and stops', async () => {
    const server = await startPostgres();
    expect(await greet(server.port)).toBe('N');
    await server.kill();
    // Its processes hold the port until they have seen that it is gone.
    await expect.poll(async () => greet(server.port).catch(String)).toMatch(/ECONNREFUSED/);
    await server.restart();
    expect(await greet(server.port)).toBe('N');
    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('starts anew once the processes of the server that was killed have ended too', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'fairlane-postgres-'));
    const server = await startPostgres({ dir });
    try {
      const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
      const child = Number(children.split(' ')[0]);
      process.kill(child, 'SIGSTOP');
      await server.kill();
      const restarted = server.restart();
      await expect
        .poll(async () => readFile(join(dir, 'postgres.log'), 'utf8'))
        .toContain('pre-existing shared memory block');
      process.kill(child, 'SIGCONT');
      await restarted;
      expect(await greet(server.port)).toBe('N');
    } finally {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    }
  });
});
