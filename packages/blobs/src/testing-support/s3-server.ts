import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { connectS3 } from '../stores/s3-store.js';

/** What is used of s3rver, which ships no types. */
type S3rver = new (options: {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
}) => { run(): Promise<{ readonly port: number }>; close(): Promise<void> };

export interface S3InTests {
  readonly url: string;
  readonly bucket: string;
  /** What clients of this server are made with. */
  connect(): S3Client;
  stop(): Promise<void>;
}

const BUCKET = 'fairlane-tests';
/** The one pair of keys that s3rver knows. */
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** A local server that speaks the protocol of S3, with one empty bucket. */
export async function startS3(): Promise<S3InTests> {
  const directory = await mkdtemp(join(tmpdir(), 'blobs-s3-'));
  const S3rver = createRequire(import.meta.url)('s3rver') as S3rver;
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    bucket: BUCKET,
    connect: () => connectTo(url),
    async stop() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function connectTo(endpoint: string): S3Client {
  return connectS3({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: KEYS });
}
