import type { IncomingMessage } from 'node:http';

export type RequestBody = { ok: true; value: unknown } | { ok: false; status: 400 | 413; code: string };

/** Reads a JSON body of at most `maxBytes`. Throws when the caller goes away while sending it. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) return { ok: false, status: 413, code: 'body_too_large' };
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { ok: false, status: 400, code: 'malformed_json' };
  }
}
