import type { Readable } from 'node:stream';

/** Bytes of an object from `start` (default 0) to before `end` (default: all). */
export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

export interface StoredObject {
  readonly id: string;
  readonly bytes: number;
  /** Milliseconds since the epoch, on the store's own clock. */
  readonly storedAtMs: number;
}

/**
 * Where bytes lie: a folder or a bucket. Knows nothing of who needs them. An id is written once and never again, so
 * that a delete that arrives late cannot hit bytes that were stored anew.
 */
export interface BlobStore {
  /** Durable when it resolves; before that the object is not to be seen at all. */
  put(id: string, body: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }): Promise<void>;
  /** Undefined when there is no such object. A range that begins at or beyond the end gives no bytes. */
  get(id: string, range?: ByteRange, options?: { signal?: AbortSignal }): Promise<Readable | undefined>;
  head(id: string): Promise<StoredObject | undefined>;
  /** Deleting what is not there is fine. */
  delete(id: string): Promise<void>;
  /** Objects stored before a time, in no order, read page by page. */
  list(olderThan: { beforeMs: number }): AsyncIterable<StoredObject>;
  /** Removes what interrupted puts left behind before a time; the number removed. */
  removeUnfinished(olderThan: { beforeMs: number }): Promise<number>;
  /** Rejects when the store cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}
