import { describe, expect, it } from 'vitest';

import type { ApiClient, BatchAnswer } from './api-client.js';
import { enqueueAll, type TimedLine } from './enqueue.js';

async function* timed(...lines: [atMs: number, line: string][]): AsyncGenerator<TimedLine> {
  for (const [atMs, line] of lines) yield { atMs, line };
}

/** An API that answers each line by `answer`, and notes when a line came. */
function apiThat(answer: (line: string, seen: number) => Omit<BatchAnswer, 'line'>) {
  const received: { line: string; atMs: number }[] = [];
  const start = performance.now();
  const api: Pick<ApiClient, 'postBatch'> = {
    async postBatch(_name, lines, onAnswer) {
      let number = 0;
      for await (const text of lines) {
        number += 1;
        const line = text.trim();
        const seen = received.filter((earlier) => earlier.line === line).length;
        received.push({ line, atMs: performance.now() - start });
        onAnswer({ line: number, ...answer(line, seen) });
      }
    },
  };
  return { api: api as ApiClient, received };
}

async function enqueue(api: ApiClient, lines: AsyncIterable<TimedLine>) {
  const answers: BatchAnswer[] = [];
  const { signal } = new AbortController();
  await enqueueAll(api, lines, { onAnswer: (answer) => answers.push(answer), signal });
  return answers;
}

describe('enqueueing a campaign', () => {
  it('sends a line at its time and in order', async () => {
    const { api, received } = apiThat(() => ({ status: 'accepted', id: 'x' }));
    await enqueue(api, timed([0, 'a'], [0, 'b'], [60, 'c'], [120, 'd']));
    expect(received.map(({ line }) => line)).toEqual(['a', 'b', 'c', 'd']);
    expect(received[2]?.atMs).toBeGreaterThanOrEqual(55);
    expect(received[3]?.atMs).toBeGreaterThanOrEqual(115);
  });

  it('sends again what the API could not take, and nothing else', async () => {
    const { api, received } = apiThat((line, seen) =>
      line === 'full' && seen === 0
        ? { status: 'rejected', code: 'queue_full' }
        : line === 'bad'
          ? { status: 'rejected', code: 'invalid_payload' }
          : { status: 'accepted', id: line },
    );
    const answers = await enqueue(api, timed([0, 'ok'], [0, 'full'], [0, 'bad']));
    expect(received.map(({ line }) => line)).toEqual(['ok', 'full', 'bad', 'full']);
    expect(answers.map(({ status, id, code }) => id ?? code ?? status)).toEqual([
      'ok',
      'invalid_payload',
      'full',
    ]);
  });
});
