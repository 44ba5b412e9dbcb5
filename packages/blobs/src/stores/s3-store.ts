import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import type { BlobStore, StoredObject } from '../blob-store.js';
import { assertId } from './object-id.js';

export interface S3StoreOptions {
  /** Destroyed when the store is closed. */
  readonly client: S3Client;
  readonly bucket: string;
  /** In front of every key, without slashes at its ends. Default none. */
  readonly prefix?: string;
}

/**
 * Parts of an upload: 10,000 are allowed, so an object may have 78 GiB. What is shorter goes in one request. Two
 * parts are in memory at a time.
 */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const LIST_PAGE = 1_000;

/** A client as the environment says: credentials, region, and `AWS_ENDPOINT_URL_S3` for another server. */
export function connectS3(config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    // Names of buckets as parts of a host name are Amazon's way; other servers rarely have the DNS for it.
    forcePathStyle: (process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']) !== undefined,
    // Checksums beyond what the operation demands are not known to every server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...config,
  });
}

/** Objects in a bucket of S3 or of a server that speaks its protocol. S3 shows an object only when it is whole. */
export function createS3Store({ client, bucket: Bucket, prefix = '' }: S3StoreOptions): BlobStore {
  const keyPrefix = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (id: string) => `${keyPrefix}${assertId(id)}`;

  /** Of an upload that failed. What is left when this fails too, or the process dies, is a rule of the bucket's. */
  async function removeParts(id: string, UploadId: string | undefined): Promise<void> {
    if (UploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ Bucket, Key: keyOf(id), UploadId });
    await client.send(command).catch(() => undefined);
  }

  return {
    async put(id, body, { signal } = {}) {
      signal?.throwIfAborted();
      const content = Readable.from(body, { objectMode: false });
      const upload = new Upload({
        client,
        params: { Bucket, Key: keyOf(id), Body: content },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
        // Its own way of removing them hides the first error behind that of the removal.
        leavePartsOnError: true,
      });
      const abort = () => void upload.abort();
      signal?.addEventListener('abort', abort, { once: true });
      try {
        await upload.done();
      } catch (error) {
        await removeParts(id, upload.uploadId);
        throw error;
      } finally {
        signal?.removeEventListener('abort', abort);
        content.destroy();
      }
    },

    async get(id, { start = 0, end } = {}, { signal } = {}) {
      if (end !== undefined && end <= start) return Readable.from([]);
      const ranged = start > 0 || end !== undefined;
      const Range = ranged ? `bytes=${start}-${end === undefined ? '' : end - 1}` : undefined;
      try {
        const command = new GetObjectCommand({ Bucket, Key: keyOf(id), Range });
        const { Body } = await client.send(command, signal === undefined ? {} : { abortSignal: signal });
        return Body as Readable;
      } catch (error) {
        if (statusOf(error) === 416) return Readable.from([]);
        return ignoreMissing(error);
      }
    },

    async head(id) {
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(id) }));
        return { id, bytes: found.ContentLength ?? 0, storedAtMs: found.LastModified?.getTime() ?? 0 };
      } catch (error) {
        return ignoreMissing(error);
      }
    },

    async delete(id) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(id) }));
    },

    async *list({ beforeMs }) {
      for (let after: string | undefined; ;) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: keyPrefix, MaxKeys: LIST_PAGE, StartAfter: after }),
        );
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          const found: StoredObject = {
            id: Key.slice(keyPrefix.length),
            bytes: Size,
            storedAtMs: LastModified?.getTime() ?? 0,
          };
          if (found.storedAtMs < beforeMs) yield found;
          after = Key;
        }
        if (page.IsTruncated !== true) return;
      }
    },

    // Parts of an upload that was cut off are shown by no listing of objects; a lifecycle rule of the bucket
    // (AbortIncompleteMultipartUpload) removes them without a process of ours.
    removeUnfinished: async () => 0,

    async check() {
      await client.send(new HeadBucketCommand({ Bucket }));
    },

    close: async () => client.destroy(),
  };
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function ignoreMissing(error: unknown): undefined {
  if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') return undefined;
  throw error;
}
