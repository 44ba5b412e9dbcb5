import { S3Client } from '@aws-sdk/client-s3';
import { FairlaneError } from '@fairlane/sdk';
import type { BlobStore } from '../blob-store.js';
import { createFileStore } from './file-store.js';
import { createS3Store } from './s3-store.js';

/** A location that is none. */
export class BlobLocationError extends FairlaneError {
  constructor() {
    super('invalid_blob_location', 'a blob store is named file:DIR or s3://BUCKET/PREFIX');
  }
}

/**
 * The store that `FAIRLANE_BLOB_STORE` names: `file:DIR` or `s3://BUCKET/PREFIX`. One location belongs to one key
 * prefix in Redis alone: objects that are unknown there are removed.
 *
 * Credentials, region and, for other servers than Amazon's, `AWS_ENDPOINT_URL_S3` are read from the environment by
 * the AWS SDK.
 *
 * @throws BlobLocationError for another form.
 */
export function openBlobStore(location: string): BlobStore {
  if (location.startsWith('file:') && location.length > 'file:'.length) {
    return createFileStore(location.slice('file:'.length));
  }
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(location) ?? [];
  if (bucket === undefined) throw new BlobLocationError();
  const client = new S3Client({
    // Names of buckets as parts of a host name are Amazon's way; other servers rarely have the DNS for it.
    forcePathStyle: (process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']) !== undefined,
    // Checksums beyond what the operation demands are not known to every server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return createS3Store({ client, bucket, prefix: prefix.replace(/\/+$/, '') });
}
