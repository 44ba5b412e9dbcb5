import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is used of s3rver, which ships no types. */
type S3rver = new (options: {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
}) => { run(): Promise<{ readonly port: number }>; close(): Promise<void> };

export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** By which the AWS SDK finds it: address, region, keys. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const BUCKET = 'fairlane-tests';
/** The one pair of keys that s3rver knows. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** A local server that speaks the protocol of S3, with one empty bucket. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlane-s3-'));
  // Loaded where it is used: it takes longer than the rest of this package.
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
    env: {
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    },
    async stop() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
