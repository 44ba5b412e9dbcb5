import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, beforeEach } from 'vitest';

/** A request that the outside has got. */
export interface OutsideCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** JSON, or the text where it is none. */
  readonly body: unknown;
}

/** What one request is answered. */
export interface OutsideAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Default `{}`. */
  readonly body?: unknown;
  /** Breaks the connection instead, when the request has been read: the caller cannot know what was done. */
  readonly cut?: true;
}

export interface OutsideInTests {
  readonly url: string;
  /** In the order they came, since the test began. */
  readonly calls: readonly OutsideCall[];
  /** Answers of the next requests, in order. After them: 200 and `{}`. */
  answerWith(...answers: readonly OutsideAnswer[]): void;
}

/** Call once at the top of a test file: an HTTP server that stands in for what a job calls, empty at every test. */
export function useOutside(): OutsideInTests {
  let server: Server | undefined;
  let calls: OutsideCall[] = [];
  let answers: OutsideAnswer[] = [];

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    calls.push({ method, path, headers, body: jsonOrText(await text(request)) });
    const { status = 200, headers: more = {}, body = {}, cut } = answers.shift() ?? {};
    if (cut) request.socket.destroy();
    else
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  }

  beforeAll(async () => {
    server = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => {
      server?.listen(0, '127.0.0.1', resolve);
    });
  });
  beforeEach(() => {
    calls = [];
    answers = [];
  });
  afterAll(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => {
      server?.close(resolve);
    });
  });

  return {
    get url() {
      if (server === undefined) throw new Error('useOutside() is ready inside tests and hooks only');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get calls() {
      return calls;
    },
    answerWith(...next) {
      answers.push(...next);
    },
  };
}

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
