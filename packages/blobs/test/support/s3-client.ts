import type { S3Client } from '@aws-sdk/client-s3';
import { S3_KEYS } from '@fairlane/testkit';
import { connectS3 } from '../../src/stores/s3-store.js';

/** A client of the S3 server of tests. */
export function connectTo(endpoint: string): S3Client {
  return connectS3({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: S3_KEYS });
}
