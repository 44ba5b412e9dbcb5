import { RetryableError } from '@fairlane/sdk';

/** Longest answer that is read where a caller has no other bound. */
export const MAX_ANSWER_BYTES = 64 * 1024;

export interface ReadAnswerOptions {
  /** Who answered, for the reason. */
  readonly from: string;
  /** Default {@link MAX_ANSWER_BYTES}. */
  readonly maxBytes?: number;
}

/**
 * The JSON of an answer, or undefined where it is none.
 *
 * @throws RetryableError for an endless answer, of which no more than the bound is read.
 */
export async function readJsonAnswer(response: Response, options: ReadAnswerOptions): Promise<unknown> {
  const text = await readBounded(response, options);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function readBounded(
  response: Response,
  { from, maxBytes = MAX_ANSWER_BYTES }: ReadAnswerOptions,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new RetryableError({ reason: `${from} gave an answer of more than ${maxBytes} bytes` });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
