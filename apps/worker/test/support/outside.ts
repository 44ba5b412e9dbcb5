import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Message {
  reference: string;
  leadId: string;
  body: string;
}

export interface Outside extends AsyncDisposable {
  url: string;
  /** Calls that are waiting for an answer. */
  waiting: () => number;
  /** Calls that came in, answered or not. */
  calls: () => number;
  /** Of these, calls beyond the first of a reference. */
  repeated: () => number;
  /**
   * Answers what waits, and everything from now on, with a status or with one for each message.
   *
   * @param afterMs how long an answer takes; at once unless given.
   */
  answer(
    status: number | ((message: Message) => number),
    headers?: Record<string, string>,
    afterMs?: number,
  ): void;
}

/** The outside platform, which answers when the test says so. What has come in is applied, and can be asked for. */
export async function openOutside(): Promise<Outside> {
  const held = new Map<ServerResponse, Message>();
  const applied = new Map<string, string>();
  const references = new Set<string>();
  let calls = 0;
  let reply: ((response: ServerResponse, message: Message) => void) | undefined;
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const id = applied.get(
        new URL(request.url ?? '/', 'http://outside').searchParams.get('reference') ?? '',
      );
      response.writeHead(id === undefined ? 404 : 200).end(JSON.stringify({ id }));
      return;
    }
    calls += 1;
    const message = (await json(request)) as Message;
    references.add(message.reference);
    if (reply) {
      reply(response, message);
      return;
    }
    applied.set(message.reference, `m-${message.leadId}`);
    held.set(response, message);
    response.on('close', () => held.delete(response));
  }
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => held.size,
    calls: () => calls,
    repeated: () => calls - references.size,
    answer(status, headers = {}, afterMs = 0) {
      const write = (response: ServerResponse, message: Message) => {
        const code = typeof status === 'number' ? status : status(message);
        response.writeHead(code, { 'content-type': 'application/json', ...headers });
        response.end(code === 200 ? JSON.stringify({ id: `m-${message.leadId}` }) : '{}');
      };
      reply = (response, message) => {
        if (afterMs === 0) write(response, message);
        else setTimeout(write, afterMs, response, message);
      };
      for (const [response, message] of held) reply(response, message);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
