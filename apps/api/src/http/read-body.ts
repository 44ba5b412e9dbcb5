import type { IncomingMessage } from 'node:http';
import { Problem } from './problems.js';

const bodyTimeoutMs = 30_000;
const largeBodyTimeoutMs = 120_000;
/** What is read and thrown away of a body that is too large, so that the client gets to see the answer. */
const maxDiscardedBytes = 64 * 1024 * 1024;

export interface BodyBounds {
  readonly maxBytes: number;
  /** A body above this counts as large. */
  readonly largeAboveBytes: number;
}

/** The body where it is small and has come as a whole: most come in one piece with their head. */
export function bodyAtHand(
  request: IncomingMessage,
  { maxBytes, largeAboveBytes }: BodyBounds,
): Buffer | undefined {
  const { readableLength, headers } = request;
  if (readableLength > maxBytes || readableLength > largeAboveBytes) return undefined;
  if (headers['content-length'] !== String(readableLength)) return undefined;
  return (request.read() as Buffer | null) ?? Buffer.alloc(0);
}

/** The body, at most `maxBytes` of it in memory. @param beforeLarge lets a large one be read on. */
export function receiveBody(
  request: IncomingMessage,
  { maxBytes, largeAboveBytes }: BodyBounds,
  beforeLarge: () => Promise<void>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isLarge = false;
    const expire = () => reject(new Problem('request_timeout'));
    let timer = setTimeout(expire, bodyTimeoutMs);
    let complete = false;
    const fail = (error: unknown) => {
      chunks.length = 0;
      bytes = Infinity;
      reject(error);
      discardRest(request);
    };
    const readOn = async () => {
      try {
        await beforeLarge();
        timer = setTimeout(expire, largeBodyTimeoutMs);
        if (request.closed) clearTimeout(timer);
        request.resume();
      } catch (error) {
        fail(error);
      }
    };
    request.on('data', (chunk: Buffer) => {
      if (bytes === Infinity) return;
      bytes += chunk.length;
      if (bytes > maxBytes) {
        fail(new Problem('payload_too_large', { detail: `The limit is ${maxBytes} bytes.` }));
        return;
      }
      chunks.push(chunk);
      if (bytes <= largeAboveBytes || isLarge) return;
      isLarge = true;
      clearTimeout(timer);
      request.pause();
      void readOn();
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

/** Reads on for a while and throws away, so that a client that is still sending gets to see the answer. */
export function discardRest(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDiscardedBytes) request.destroy();
  });
  request.resume();
}

/** A few compressed bytes can stand for gigabytes; nothing here needs them. */
export function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new Problem('unsupported_encoding');
}
