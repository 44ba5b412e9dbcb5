/**
 * Where the dedup memory of a job id lives. An id is 22 random characters of base64url; its first two and a quarter
 * of its third choose one of 16,384 buckets, the rest is the field. Up to 128 entries (Redis' default for the compact
 * encoding of hashes) a bucket costs about 60 bytes an entry, a key of its own would cost 290: good for two million
 * keys in retention, after which entries cost more but nothing breaks.
 */
export interface DedupKey {
  readonly bucketKey: string;
  readonly field: string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const PARTS = 4;
/** Characters of the id that the bucket's name already holds. */
const ID_PREFIX_CHARS = 2;

export const BUCKET_COUNT = ALPHABET.length ** ID_PREFIX_CHARS * PARTS;

export function dedupKey(prefix: string, id: string): DedupKey {
  const part = (id.charCodeAt(ID_PREFIX_CHARS) || 0) % PARTS;
  return {
    bucketKey: bucketKey(prefix, id.slice(0, ID_PREFIX_CHARS), part),
    field: id.slice(ID_PREFIX_CHARS),
  };
}

/** Bucket number 0 to {@link BUCKET_COUNT} - 1, for sweeps. `idPrefix + field` is the id of an entry. */
export function bucketAt(prefix: string, index: number): { bucketKey: string; idPrefix: string } {
  const pair = Math.floor(index / PARTS);
  const idPrefix =
    ALPHABET.charAt(Math.floor(pair / ALPHABET.length)) + ALPHABET.charAt(pair % ALPHABET.length);
  return { bucketKey: bucketKey(prefix, idPrefix, index % PARTS), idPrefix };
}

/** The double colon keeps clear of BullMQ's keys, as no queue has an empty name. */
function bucketKey(prefix: string, idPrefix: string, part: number): string {
  return `${prefix}::dedup:${idPrefix}${part}`;
}

/** Characters kept of the payload's digest: 66 bits tell the few payloads of one key apart. */
const DIGEST_CHARS = 11;

export function storedDigest(payloadDigest: string): string {
  return payloadDigest.slice(0, DIGEST_CHARS);
}
