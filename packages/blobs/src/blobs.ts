import { Readable } from 'node:stream';
import type { RedisOptions } from 'ioredis';
import type { BlobStore } from './blob-store.js';
import {
  BlobCorruptError,
  BlobMissingError,
  BlobTooLargeError,
  DigestMismatchError,
  HoldLostError,
} from './errors.js';
import { Holds } from './holds/holds.js';
import { Measure, sha256 } from './measure.js';
import { formatSource, parseSource, type BlobRef } from './source.js';
import { newObjectId } from './stores/object-id.js';
import { Sweeper, type SweepOptions, type SweepReply } from './sweeper.js';

export interface BlobsOptions {
  readonly store: BlobStore;
  /** A URL such as `redis://127.0.0.1:6379`, or the options of ioredis. */
  readonly redis: string | RedisOptions;
  /** In front of every key; default `{fairlane}`. A store's location belongs to one prefix alone. */
  readonly prefix?: string;
  /** Told of connection errors, which are survived, and of objects that could not be deleted yet. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since the epoch; the Redis server's clock when left out. */
  readonly nowMs?: () => number;
}

/** For whom a blob is kept. */
export interface HoldRequest {
  /**
   * Who needs it, as `SweepOptions.stillNeeded` will be asked when the hold is over. One name a use: whoever
   * releases it must not end the hold of another.
   */
  readonly owner: string;
  readonly holdMs: number;
}

export interface PutRequest extends HoldRequest {
  readonly maxBytes: number;
  /** sha256 that the bytes must have, in hex. */
  readonly digest?: string | undefined;
  readonly signal?: AbortSignal;
}

/** A blob that is kept for an owner. */
export interface HeldBlob extends BlobRef {
  /**
   * When the hold ends, on the clock of Redis. What refers to the blob must be durable before that, or not come into
   * being at all.
   */
  readonly heldUntilMs: number;
}

/** Large values, stored once and kept as long as anything may need them. */
export interface Blobs {
  /**
   * Stores bytes for an owner, or finds them stored already. Begin here, then store what refers to the blob.
   *
   * @throws BlobTooLargeError, DigestMismatchError: nothing is kept. HoldLostError: store it again.
   */
  put(body: Uint8Array | AsyncIterable<Uint8Array>, request: PutRequest): Promise<HeldBlob>;
  /** Keeps a stored blob for one more owner. Undefined when it is not stored, or no longer. */
  hold(source: string, request: HoldRequest): Promise<HeldBlob | undefined>;
  /**
   * Ends an owner's hold. Remove what refers to the blob first. Left out, or cut off by a crash, the sweep finds out
   * by itself; a release only brings it forward.
   */
  release(source: string, owner: string): Promise<void>;
  /** The blob stored under a digest. */
  find(digest: string): Promise<BlobRef | undefined>;
  /**
   * The bytes, from `start` on. Read from the first byte on they are checked: a stream of other bytes than were
   * stored ends in BlobCorruptError.
   *
   * @throws BlobMissingError
   */
  read(
    source: string,
    options?: { readonly start?: number; readonly signal?: AbortSignal },
  ): Promise<Readable>;
  /** All the bytes, checked. @throws BlobMissingError, BlobCorruptError, BlobTooLargeError */
  readAll(
    source: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<Buffer>;
  /** Size of a stored blob. @throws BlobMissingError */
  size(source: string): Promise<number>;
  /** Deletes blobs that nobody needs any more, a bounded number at a time. Any process may do it, at any time. */
  sweep(options: SweepOptions): Promise<SweepReply>;
  /**
   * Deletes what a crash left in the store and nobody knows of, such as after Redis lost its data. Reads the whole
   * listing of the store: once a day is enough.
   *
   * @returns number of objects deleted.
   */
  sweepOrphans(options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Rejects when store or Redis cannot be used. */
  check(): Promise<void>;
  /** Closes the store too. */
  close(): Promise<void>;
}

export function createBlobs(options: BlobsOptions): Blobs {
  const { store, redis, prefix = '{fairlane}', onError = () => undefined, nowMs } = options;
  const holds = new Holds({ redis, prefix, onError, ...(nowMs === undefined ? {} : { nowMs }) });
  const sweeper = new Sweeper({ store, holds, onError });

  async function reuse(digest: string, request: HoldRequest): Promise<HeldBlob | undefined> {
    const found = await holds.find(digest);
    return found === undefined ? undefined : hold(formatSource({ digest, id: found.id }), request);
  }

  async function hold(source: string, { owner, holdMs }: HoldRequest): Promise<HeldBlob | undefined> {
    const parts = parseSource(source);
    if (parts === undefined) return undefined;
    const { digest, id } = parts;
    const heldUntilMs = await holds.hold(id, { owner, holdMs, register: false });
    if (heldUntilMs === undefined) return undefined;
    const stored = await store.head(id);
    // The digest is only a claim of whoever named the source; the published one is of the bytes.
    if (stored !== undefined && (await holds.digestOf(id)) === digest) {
      return { source, digest, bytes: stored.bytes, heldUntilMs };
    }
    await holds.release(id, owner);
    return undefined;
  }

  async function storeNew(body: AsyncIterable<Uint8Array>, request: PutRequest): Promise<HeldBlob> {
    const { owner, holdMs, maxBytes, digest: expected, signal } = request;
    const id = newObjectId();
    await holds.hold(id, { owner, holdMs, register: true });
    try {
      const measure = new Measure();
      await store.put(id, measure.through(body, maxBytes), signal === undefined ? {} : { signal });
      const digest = measure.digest();
      if (expected !== undefined && digest !== expected) throw new DigestMismatchError(expected, digest);
      const heldUntilMs = await holds.publish(id, { owner, holdMs, digest, bytes: measure.bytes });
      if (heldUntilMs === undefined) {
        await store.delete(id);
        throw new HoldLostError();
      }
      return { source: formatSource({ digest, id }), digest, bytes: measure.bytes, heldUntilMs };
    } catch (error) {
      // The sweep deletes what there is of it; without this it would only come later.
      await holds.release(id, owner).catch(onError);
      throw error;
    }
  }

  const read: Blobs['read'] = async (source, { start = 0, signal } = {}) => {
    const parts = parseSource(source);
    const options = signal === undefined ? {} : { signal };
    const body = parts && (await store.get(parts.id, { start }, options));
    if (body === undefined) throw new BlobMissingError(source);
    return start === 0 ? checked(body, source) : body;
  };

  return {
    async put(body, request) {
      const bytes = body instanceof Uint8Array ? body : undefined;
      if (bytes === undefined) return storeNew(body as AsyncIterable<Uint8Array>, request);
      if (bytes.byteLength > request.maxBytes) throw new BlobTooLargeError(request.maxBytes);
      const digest = sha256(bytes);
      if (request.digest !== undefined && request.digest !== digest) {
        throw new DigestMismatchError(request.digest, digest);
      }
      return (await reuse(digest, request)) ?? storeNew(Readable.from([bytes]), request);
    },

    hold,

    async release(source, owner) {
      const parts = parseSource(source);
      if (parts !== undefined) await holds.release(parts.id, owner);
    },

    async find(digest) {
      const found = await holds.find(digest);
      return found && { source: formatSource({ digest, id: found.id }), digest, bytes: found.bytes };
    },

    read,

    async readAll(source, { maxBytes, signal }) {
      const body = await read(source, signal === undefined ? {} : { signal });
      const chunks: Uint8Array[] = [];
      for await (const chunk of new Measure().through(body, maxBytes)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },

    async size(source) {
      const parts = parseSource(source);
      const found = parts && (await store.head(parts.id));
      if (found === undefined) throw new BlobMissingError(source);
      return found.bytes;
    },

    sweep: async (sweepOptions) => sweeper.sweep(sweepOptions),

    sweepOrphans: async (sweepOptions = {}) => sweeper.sweepOrphans(sweepOptions),

    async check() {
      await Promise.all([holds.check(), store.check()]);
    },

    async close() {
      holds.close();
      await store.close();
    },
  };
}

/** The same bytes; at their end an error where they are not those that the source names. */
function checked(body: Readable, source: string): Readable {
  async function* check(): AsyncGenerator<Uint8Array> {
    const measure = new Measure();
    yield* measure.through(body, Infinity);
    const found = measure.digest();
    if (found !== parseSource(source)?.digest) throw new BlobCorruptError(source, found);
  }
  return Readable.from(check(), { objectMode: false });
}
