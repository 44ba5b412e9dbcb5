import { setTimeout as delay } from 'node:timers/promises';

import type { ApiClient, BatchAnswer } from './api-client.js';

/** A line to send, not before `atMs` after the start. */
export interface TimedLine {
  atMs: number;
  line: string;
}

export interface EnqueueListener {
  onAnswer(answer: BatchAnswer): void;
  signal: AbortSignal;
}

/** Bounds of one request: a trace may last for hours, and servers limit how long a request may take. */
const LINES_PER_BATCH = 20_000;
const MS_PER_BATCH = 20_000;
const RETRY_AFTER_MS = 1_000;
const RETRIES = 120;
const TRY_AGAIN = new Set(['queue_full', 'unavailable']);

/** Sends every line, in order and in time; lines that the API asks to send later are sent again. */
export async function enqueueAll(
  api: ApiClient,
  lines: AsyncIterable<TimedLine>,
  listener: EnqueueListener,
): Promise<void> {
  const start = performance.now();
  const source = lines[Symbol.asyncIterator]();
  let next = await source.next();
  while (next.done !== true) {
    const sent: string[] = [];
    const batchEnd = performance.now() + MS_PER_BATCH;
    const batch = async function* () {
      while (next.done !== true && sent.length < LINES_PER_BATCH && performance.now() < batchEnd) {
        const { line, atMs } = next.value;
        const waitMs = start + atMs - performance.now();
        // Timers of a millisecond are not kept anyway: waiting only for more saves most of them.
        if (waitMs > 5) await delay(Math.min(waitMs, MS_PER_BATCH), undefined, { signal: listener.signal });
        if (waitMs > MS_PER_BATCH) continue;
        sent.push(line);
        yield `${line}\n`;
        next = await source.next();
      }
    };
    await postUntilAccepted(api, batch(), sent, listener);
  }
}

async function postUntilAccepted(
  api: ApiClient,
  lines: AsyncIterable<string>,
  sent: readonly string[],
  listener: EnqueueListener,
): Promise<void> {
  let batch = lines;
  let current = sent;
  for (let attempt = 1; ; attempt += 1) {
    const again: string[] = [];
    await api.postBatch('outreach.send', batch, (answer) => {
      const line = current[answer.line - 1];
      const later = answer.code !== undefined && TRY_AGAIN.has(answer.code) && attempt < RETRIES;
      if (later && line !== undefined) again.push(line);
      else listener.onAnswer(answer);
    });
    if (again.length === 0) return;
    await delay(RETRY_AFTER_MS, undefined, { signal: listener.signal });
    current = again;
    batch = withNewlines(again);
  }
}

async function* withNewlines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
}
