export type { BlobStore, ByteRange, StoredObject } from './blob-store.js';
export {
  createBlobs,
  type Blobs,
  type BlobsOptions,
  type HeldBlob,
  type HoldRequest,
  type PutRequest,
} from './blobs.js';
export {
  MAX_INLINE_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_SOURCE_BYTES,
  PAYLOAD_HOLD_MS,
  UPLOAD_HOLD_MS,
} from './bounds.js';
export { formatContentDigest, parseContentDigest } from './content-digest.js';
export {
  BlobCorruptError,
  BlobMissingError,
  BlobStoreUnusableError,
  BlobTooLargeError,
  ContentDigestError,
  DigestMismatchError,
  HoldLostError,
} from './errors.js';
export { jobOfOwner, jobOwner } from './owner.js';
export { formatSource, parseSource, type BlobRef, type BlobSource } from './source.js';
export { openBlobs } from './open-blobs.js';
export { createFileStore } from './stores/file-store.js';
export { BlobLocationError, openBlobStore } from './stores/open-blob-store.js';
export type { SweepOptions, SweepReply } from './sweeper.js';
