import { FairlaneError } from '@fairlane/sdk';
import type { BlobStore } from '../blob-store.js';
import { createFileStore } from './file-store.js';

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
export async function openBlobStore(location: string): Promise<BlobStore> {
  if (location.startsWith('file:') && location.length > 'file:'.length) {
    return createFileStore(location.slice('file:'.length));
  }
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(location) ?? [];
  if (bucket === undefined) throw new BlobLocationError();
  // Loaded where it is used: the AWS SDK doubles the time that a process takes to start.
  const { connectS3, createS3Store } = await import('./s3-store.js');
  return createS3Store({ client: connectS3(), bucket, prefix: prefix.replace(/\/+$/, '') });
}
