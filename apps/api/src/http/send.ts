import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { REQUEST_ID_HEADER, requestIdOf } from './request-log.js';
import type { Reply } from './route.js';
import { SECURITY_HEADERS } from './security-headers.js';

type Headers = Readonly<Record<string, string | number>>;

/** Writes an answer. On Node's own response: Express' `json` and `send` took a tenth of the time of an enqueue. */
export function send(response: ServerResponse, reply: Reply): void | Promise<void> {
  const { status, headers } = reply;
  if ('stream' in reply) {
    writeHead(response, status, { 'content-type': reply.type }, headers);
    // Sent at once, so that a client that sends and reads in turn gets its first answer.
    response.flushHeaders();
    return pipeline(Readable.from(reply.stream), response);
  }
  if ('text' in reply) {
    sendText(response, status, { type: reply.type, text: reply.text, headers });
  } else if (reply.body === undefined) {
    writeHead(response, status, {}, headers);
    response.end();
  } else {
    const text = JSON.stringify(reply.body);
    sendText(response, status, { type: 'application/json; charset=utf-8', text, headers });
  }
}

export interface TextAnswer {
  readonly type: string;
  readonly text: string;
  readonly headers?: Headers | undefined;
}

export function sendText(
  response: ServerResponse,
  status: number,
  { type, text, headers }: TextAnswer,
): void {
  writeHead(response, status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }, headers);
  response.end(text);
}

/**
 * All at once: headers that are set one by one are copied twice, and spread ones take three times as long.
 *
 * @param own becomes what is sent.
 * @param headers of the reply, which may take the place of others.
 */
function writeHead(
  response: ServerResponse,
  status: number,
  own: Record<string, string | number>,
  headers?: Headers,
): void {
  own[REQUEST_ID_HEADER] = requestIdOf(response.req);
  response.writeHead(status, Object.assign(own, SECURITY_HEADERS, headers));
}
