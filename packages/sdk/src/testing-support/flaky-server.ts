import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';

/** An HTTP server on this machine whose path says how it misbehaves. */
export interface FlakyServer {
  readonly url: string;
  close(): Promise<void>;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  /** `/status?code=503&retry-after=1&retry-after=2` */
  '/status': (request, response) => {
    const query = new URL(request.url ?? '', 'http://flaky').searchParams;
    const retryAfter = query.getAll('retry-after');
    if (retryAfter.length > 0) response.setHeader('retry-after', retryAfter);
    response.writeHead(Number(query.get('code'))).end(query.get('code') === '500' ? 'details' : undefined);
  },
  '/stall': () => undefined,
  '/hang-up': (request) => request.socket.destroy(),
  '/reset': (request) => request.socket.resetAndDestroy(),
  '/cut-body': (request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => request.socket.destroy());
  },
  '/rubbish': (request) => request.socket.end('this is not HTTP\r\n\r\n'),
};

export async function startFlakyServer(): Promise<FlakyServer> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://flaky').pathname;
    BEHAVIOURS[path]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Connects to a closed port under a name that has two addresses; both fail. */
export async function connectToTwoAddresses(port: number): Promise<void> {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  await new Promise<void>((resolve, reject) => {
    connect({
      port,
      host: 'two.example',
      autoSelectFamily: true,
      lookup: (_name, _options, done) => done(null, addresses),
    })
      .once('connect', resolve)
      .once('error', reject);
  });
}
