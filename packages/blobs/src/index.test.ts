import { expect, it } from 'vitest';
import * as blobs from './index.js';

it('exports this and nothing else', () => {
  expect(Object.keys(blobs).toSorted()).toEqual([
    'BlobCorruptError',
    'BlobLocationError',
    'BlobMissingError',
    'BlobStoreUnusableError',
    'BlobTooLargeError',
    'ContentDigestError',
    'DigestMismatchError',
    'HoldLostError',
    'MAX_INLINE_BYTES',
    'MAX_PAYLOAD_BYTES',
    'MAX_SOURCE_BYTES',
    'PAYLOAD_HOLD_MS',
    'UPLOAD_HOLD_MS',
    'createBlobs',
    'createFileStore',
    'formatContentDigest',
    'formatSource',
    'jobOfOwner',
    'jobOwner',
    'openBlobStore',
    'openBlobs',
    'parseContentDigest',
    'parseSource',
  ]);
});

it('knows the owner of a job by its id, whatever the use, and no other owner', () => {
  expect(blobs.jobOfOwner(blobs.jobOwner('a-b_1', 'payload:2'))).toBe('a-b_1');
  expect(blobs.jobOfOwner('upload:a')).toBeUndefined();
  expect(blobs.jobOfOwner('job:')).toBeUndefined();
});
