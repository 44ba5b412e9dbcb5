import { httpError, RetryableError } from '@fairlane/sdk';
import { z } from 'zod';
import { readJsonAnswer } from '../http/read-answer.js';
import { describeReading, type Reading } from './reading.js';

export interface Summary {
  readonly text: string;
  readonly by: 'model' | 'local';
}

export interface Summariser {
  readonly timeoutMs: number;
  summarise(reading: Reading, call: { readonly signal: AbortSignal }): Promise<Summary>;
}

export interface ModelOptions {
  /** Of an OpenAI-compatible service, `/chat/completions` left out. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Time for one call. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Longest summary that is kept, whatever a model writes. */
const MAX_SUMMARY_CHARS = 2_000;
const MAX_TOKENS = 300;
const FROM = 'the summary service';
const INSTRUCTIONS =
  'You write for the person on duty. From one disk reading, write two plain sentences: what happened, and what to ' +
  'check first. Use nothing but the reading.';

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().trim().min(1) }) })).min(1),
});

/** Says what the reading says and what to do, with no service at all: the same reading gives the same text. */
export const localSummariser: Summariser = {
  timeoutMs: 1_000,
  async summarise(reading) {
    const advice = `Find what grew on ${reading.mount} of ${reading.host}, and free space or extend it.`;
    return { text: `${describeReading(reading)} ${advice}`, by: 'local' };
  },
};

/** Lets a model write it. A service that fails fails the attempt: the incident is out by then, and stays done. */
export function createModelSummariser({
  baseUrl,
  model,
  apiKey,
  timeoutMs = 30_000,
}: ModelOptions): Summariser {
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  return {
    timeoutMs,
    async summarise(reading, { signal }) {
      const { host, mount, percent, at } = reading;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model,
          temperature: 0,
          max_tokens: MAX_TOKENS,
          messages: [
            { role: 'system', content: INSTRUCTIONS },
            // As data, so that a host's name is not read as an instruction.
            { role: 'user', content: JSON.stringify({ host, mount, percent, at }) },
          ],
        }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (!response.ok) throw httpError(response, { from: FROM, notApplied: [response.status] });
      const answer = completion.safeParse(await readJsonAnswer(response, { from: FROM }));
      const text = answer.data?.choices[0]?.message.content;
      if (text === undefined) throw new RetryableError({ reason: `${FROM} gave no summary`, applied: 'no' });
      // Not in the middle of a character.
      const kept = text.slice(0, MAX_SUMMARY_CHARS).replace(/[\uD800-\uDBFF]$/, '');
      return { text: kept, by: 'model' };
    },
  };
}
