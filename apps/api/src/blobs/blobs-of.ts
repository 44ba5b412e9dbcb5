import {
  BlobMissingError,
  BlobTooLargeError,
  ContentDigestError,
  DigestMismatchError,
  type Blobs,
} from '@fairlane/blobs';
import { retryAfter } from '@fairlane/runtime';
import type { AppContext } from '../context.js';
import { Problem } from '../http/problems.js';

/** The blob store, or a problem that says how to have one. */
export function blobsOf({ blobs }: AppContext): Blobs {
  if (blobs === undefined) throw new Problem('no_blob_store');
  return blobs;
}

/** What is wrong with a request for a blob; anything else is the store's fault. */
export function toBlobProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ContentDigestError) return new Problem('invalid_digest', { detail: error.message });
  if (error instanceof DigestMismatchError) return new Problem('digest_mismatch', { detail: error.message });
  if (error instanceof BlobMissingError) return new Problem('blob_not_found');
  if (error instanceof BlobTooLargeError) {
    return new Problem('payload_too_large', { detail: `The limit is ${error.maxBytes} bytes.` });
  }
  return new Problem('unavailable', { cause: error, headers: retryAfter(1_000) });
}
