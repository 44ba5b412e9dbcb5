import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that a system hands out by itself (Linux from 32768): there an outgoing connection of any process
 * may have taken the port of a server that was killed, before that is back on it.
 */
const LOWEST = 12_000;
const BEYOND = 32_000;
const ATTEMPTS = 100;

/**
 * A TCP port of the loopback that nobody listened on a moment ago. Another process may take it before
 * the caller does, so a caller that starts a server on it tries again with a fresh one.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(LOWEST, BEYOND);
    try {
      await listenOnce(port);
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function listenOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
