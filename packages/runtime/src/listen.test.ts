import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.js';

function server() {
  const made = createServer();
  onTestFinished(() => void made.close());
  return made;
}

describe('listening', () => {
  it('tells the address', async () => {
    const { address, port } = await listen(server(), {
      host: '127.0.0.1',
      port: 0,
      portVariable: 'API_PORT',
    });
    expect(address).toBe('127.0.0.1');
    expect(port).toBeGreaterThan(0);
  });

  it('names the variable of a port that is taken', async () => {
    const { port } = await listen(server(), { host: '127.0.0.1', port: 0, portVariable: 'API_PORT' });
    await expect(listen(server(), { host: '127.0.0.1', port, portVariable: 'BOARD_PORT' })).rejects.toThrow(
      'BOARD_PORT: is the port of something else already',
    );
  });

  it.each(['203.0.113.7', '300.1.1.1'])('names HOST when %s is no address of the machine', async (host) => {
    await expect(listen(server(), { host, port: 0, portVariable: 'API_PORT' })).rejects.toThrow(
      /^HOST: is (no address of this machine|a name that cannot be looked up now)/,
    );
  });
});
