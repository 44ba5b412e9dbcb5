import {
  BlobCorruptError,
  BlobMissingError,
  BlobTooLargeError,
  MAX_PAYLOAD_BYTES,
  parseSource,
  type Blobs,
} from '@fairlane/blobs';
import { RetryableError } from '@fairlane/sdk';
import { parseJobData, type Envelope } from '../jobs/envelope.js';
import type { ClaimCheck } from './claim-check.js';

/** What a claim check turned out to stand for. */
export type FetchedData =
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  /** Nobody will ever read it. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * The envelope that a claim check stands for.
 *
 * @throws RetryableError when the store cannot be reached, or has not what the books in Redis say is stored: a worker
 * that looks into another folder than the others. Whatever `signal` was aborted with.
 */
export async function fetchData(claim: ClaimCheck, blobs: Blobs, signal: AbortSignal): Promise<FetchedData> {
  let bytes: Buffer;
  try {
    bytes = await blobs.readAll(claim.blob, { maxBytes: MAX_PAYLOAD_BYTES, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof BlobCorruptError) {
      return unreadable('the stored payload is damaged: its bytes are not those that were stored');
    }
    if (error instanceof BlobTooLargeError) {
      return unreadable(`the stored payload has more than ${MAX_PAYLOAD_BYTES} bytes`);
    }
    if (error instanceof BlobMissingError && !(await isKnown(claim, blobs))) {
      return unreadable('the stored payload is gone from the blob store');
    }
    throw unreachable(error);
  }
  const parsed = parseJobData(bytes.toString());
  if (parsed === undefined) return unreadable('the stored payload cannot be parsed');
  return { kind: 'envelope', envelope: { v: claim.v, p: parsed.value } };
}

async function isKnown({ blob }: ClaimCheck, blobs: Blobs): Promise<boolean> {
  const { digest } = parseSource(blob) ?? {};
  try {
    return digest !== undefined && (await blobs.find(digest)) !== undefined;
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(cause: unknown): RetryableError {
  const why =
    cause instanceof BlobMissingError
      ? 'it does not have what is known to be stored; is FAIRLANE_BLOB_STORE the same everywhere?'
      : cause instanceof Error
        ? cause.message
        : String(cause);
  const reason = `The payload could not be read from the blob store: ${why}`;
  return new RetryableError({ code: 'remote_unavailable', reason, applied: 'no', cause });
}

function unreadable(reason: string): FetchedData {
  return { kind: 'unreadable', reason };
}
