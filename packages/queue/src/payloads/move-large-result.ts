import { jobOwner, MAX_INLINE_BYTES, MAX_PAYLOAD_BYTES, PAYLOAD_HOLD_MS, type Blobs } from '@fairlane/blobs';
import { describeError, type QueueLogger } from '../logging.js';
import { newUse } from './uses.js';

/** Stored in place of a result that is too large for Redis. */
export interface LargeResult {
  readonly tooLarge: true;
  readonly bytes: number;
  /** Where the result lies as JSON, as long as the job; left out where it was not kept. */
  readonly source?: string;
}

const STORE_TIMEOUT_MS = 20_000;

/**
 * What is to be stored of a result: the result, or where it lies when it is large. The work is done by then, so a store
 * that does not take it costs the result and not the job.
 */
export async function moveLargeResult(
  result: unknown,
  { jobId, blobs, logger }: { readonly jobId: string; readonly blobs: Blobs; readonly logger: QueueLogger },
): Promise<unknown> {
  const text = jsonOf(result);
  const bytes = text === undefined ? 0 : Buffer.byteLength(text);
  if (text === undefined || bytes <= MAX_INLINE_BYTES) return result;
  try {
    const stored = await blobs.put(Buffer.from(text), {
      owner: jobOwner(jobId, newUse('result')),
      holdMs: PAYLOAD_HOLD_MS,
      maxBytes: MAX_PAYLOAD_BYTES,
      signal: AbortSignal.timeout(STORE_TIMEOUT_MS),
    });
    return { tooLarge: true, bytes, source: stored.source } satisfies LargeResult;
  } catch (error) {
    logger.warn({ ...describeError(error), bytes }, 'a result was not kept');
    return { tooLarge: true, bytes } satisfies LargeResult;
  }
}

/** Undefined for what JSON cannot hold: that is told elsewhere. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
