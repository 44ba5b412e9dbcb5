import type { Call, Reply } from '../http/route.js';

/** `GET /v1/events` */
export async function getEvents({ app, principal, request }: Call): Promise<Reply> {
  // `no-transform`, so that no proxy collects events in order to compress them.
  const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  if (request.method === 'HEAD') return { status: 200, headers, type: TYPE, text: '' };
  const lastEventId = request.headers['last-event-id'];
  const stream = await app.events.open(principal, lastEventId?.toString());
  // A stream that waits for something to tell would not notice for long that nobody listens.
  if (request.socket.destroyed) stream.end();
  request.socket.once('close', () => stream.end());
  return { status: 200, headers, type: TYPE, stream };
}

const TYPE = 'text/event-stream';
