import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { ApiUnderTest } from './start-api.js';

export const BATCH_PATH = '/v1/jobs/message.send/batch';

const linesAWrite = 500;

export function ndjson(payloads: readonly unknown[]): string {
  return payloads
    .map((payload) => `${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n`)
    .join('');
}

/** A batch whose two directions are in the test's hands. */
export async function openBatch(
  api: ApiUnderTest,
): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const request = httpRequest(api.url + BATCH_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.tokens.producer}` },
  });
  request.on('error', () => undefined);
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { request, response };
}

/**
 * Sends `count` lines as fast as the API takes them, and looks at memory at 30 % and at 90 % of the way, each time
 * once all that was sent is answered: what is under way is bounded, but not the same at any two moments.
 */
export async function sendManyLines(
  api: ApiUnderTest,
  count: number,
  payload: () => unknown,
  bytesKept: () => Promise<number>,
) {
  const { request, response } = await openBatch(api);
  let answers = 0;
  let tail = '';
  response.on('data', (part: Buffer) => {
    answers += part.filter((byte) => byte === 0x0a).length;
    tail = (tail + part.toString('latin1')).slice(-200);
  });
  const answered = async (lines: number): Promise<void> => {
    if (answers >= lines) return;
    await once(response, 'data');
    await answered(lines);
  };
  const ended = once(response, 'end');
  let early = 0;
  let late = 0;
  for (let sent = 0; sent < count; sent += linesAWrite) {
    if (!request.write(ndjson(Array.from({ length: linesAWrite }, payload)))) await once(request, 'drain');
    if (sent !== (count / 10) * 3 && sent !== (count / 10) * 9) continue;
    await answered(sent + linesAWrite);
    if (early === 0) early = await bytesKept();
    else late = await bytesKept();
  }
  request.end();
  await ended;
  const { summary } = JSON.parse(tail.slice(tail.lastIndexOf('{"summary"'))) as {
    summary: Record<string, number>;
  };
  return { answers, summary, growthBytes: late - early };
}
