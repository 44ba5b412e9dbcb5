import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiServer } from './api-server.js';

async function listening(bounds?: Parameters<typeof createApiServer>[1]) {
  const server = createApiServer((_request, response) => response.end('here'), bounds);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

describe('the server of the API', () => {
  it('R14 cuts a connection whose headers trickle in and never end', async () => {
    const server = await listening({ idleMs: 60_000, headersMs: 200 });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    // Written to when it is cut already.
    socket.on('error', () => undefined);
    socket.write('GET /healthz HTTP/1.1\r\nhost: api.example.com\r\n');
    const trickle = setInterval(() => socket.write('x-more: yes\r\n'), 20);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    clearInterval(trickle);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('R14 has a bound on headers and idle connections as shipped, none on a whole request', async () => {
    const server = await listening();
    expect(server.headersTimeout).toBeGreaterThan(0);
    expect(server.timeout).toBeGreaterThan(0);
    expect(server.requestTimeout).toBe(0);
  });
});
