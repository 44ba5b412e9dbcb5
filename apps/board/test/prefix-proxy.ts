import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy extends AsyncDisposable {
  /** Where the board appears, prefix included. */
  url: string;
}

export interface PrefixProxyOptions {
  target: string;
  prefix: string;
  /** Takes the prefix off and names it in `X-Forwarded-Prefix`, else passes paths on as they are. */
  strips: boolean;
}

/** A reverse proxy that serves the board under a path and nothing outside it. */
export async function startPrefixProxy({ target, prefix, strips }: PrefixProxyOptions): Promise<PrefixProxy> {
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '/';
    if (!path.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end('outside of the prefix');
      return;
    }
    const headers = { ...incoming.headers, ...(strips ? { 'x-forwarded-prefix': prefix } : {}) };
    const url = new URL(target);
    const outgoing = request(
      {
        host: url.hostname,
        port: url.port,
        method: incoming.method,
        headers,
        path: strips ? path.slice(prefix.length) : path,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
