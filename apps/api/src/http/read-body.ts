import type { IncomingMessage } from 'node:http';
import { Problem } from './problems.js';

const bodyTimeoutMs = 30_000;
/** What is read and thrown away of a body that is too large, so that the client gets to see the answer. */
const maxDiscardedBytes = 64 * 1024 * 1024;

/** The body, at most `maxBytes` of it in memory. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  refuseEncoding(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => reject(new Problem('request_timeout')), bodyTimeoutMs);
    let complete = false;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(new Problem('payload_too_large', { detail: `The limit is ${maxBytes} bytes.` }));
      if (bytes > maxDiscardedBytes) request.destroy();
    });
    request.once('end', () => {
      complete = true;
      resolve(Buffer.concat(chunks));
    });
    request.once('error', reject);
    request.once('close', () => {
      clearTimeout(timer);
      if (!complete) reject(new Problem('invalid_request', { detail: 'The request was cut off.' }));
    });
  });
}

/** A few compressed bytes can stand for gigabytes; nothing here needs them. */
export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new Problem('unsupported_encoding');
}
