import { createServer } from 'node:net';

/**
 * A TCP port of the loopback that nobody listened on a moment ago. Another process may take it before
 * the caller does, so a caller that starts a server on it tries again with a fresh one.
 */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') {
          reject(new Error(`expected a TCP address, got ${String(address)}`));
        } else {
          resolve(address.port);
        }
      });
    });
  });
}
