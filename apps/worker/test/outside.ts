import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Outside extends AsyncDisposable {
  url: string;
  /** Calls that are waiting for an answer. */
  waiting: () => number;
  /** Calls that came in, answered or not. */
  calls: () => number;
  /** Answers what waits, and everything from now on. */
  answer(status: number, headers?: Record<string, string>): void;
}

/** The outside platform, which answers when the test says so. */
export async function openOutside(): Promise<Outside> {
  const held = new Set<ServerResponse>();
  let calls = 0;
  let reply: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    if (reply) {
      reply(response);
      return;
    }
    held.add(response);
    response.on('close', () => held.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => held.size,
    calls: () => calls,
    answer(status, headers = {}) {
      reply = (response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(status === 200 ? JSON.stringify({ id: `m-${calls}` }) : '{}');
      };
      for (const response of held) reply(response);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
