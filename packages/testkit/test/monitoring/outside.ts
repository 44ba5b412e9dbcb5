import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export interface Outside {
  url: string;
  close(): Promise<void>;
}

/** An outreach platform that takes `latencyMs` and answers with the status that a message's body names, else 200. */
export async function openOutside(latencyMs: number): Promise<Outside> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { body, leadId } = (await json(request)) as { body: string; leadId: string };
    await delay(latencyMs);
    const status = Number(/^\d{3}$/.exec(body)?.[0] ?? 200);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { id: `m-${leadId}` } : {}));
  }
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
