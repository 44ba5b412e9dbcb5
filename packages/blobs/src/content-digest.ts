import { parseDictionary } from 'structured-headers';
import { ContentDigestError } from './errors.js';

const ALGORITHM = 'sha-256';
const SHA256_BYTES = 32;
/** Longest header that is read; two digests fit many times over. */
const MAX_HEADER_CHARS = 1024;

/**
 * The sha256 of a `Content-Digest` header (RFC 9530) in hex, or undefined when there is no header. Digests of other
 * algorithms beside it are not looked at.
 *
 * @throws ContentDigestError for a header that is malformed or has no sha-256: what a client sent to be checked must
 * not pass unchecked.
 */
export function parseContentDigest(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const value = read(header)?.get(ALGORITHM)?.[0];
  if (value === undefined) throw new ContentDigestError('has no sha-256');
  if (!(value instanceof ArrayBuffer) || value.byteLength !== SHA256_BYTES) {
    throw new ContentDigestError(`has a sha-256 that is not ${SHA256_BYTES} bytes of base64`);
  }
  return Buffer.from(value).toString('hex');
}

/** `Content-Digest` of bytes whose sha256 is known in hex. */
export function formatContentDigest(digest: string): string {
  return `${ALGORITHM}=:${Buffer.from(digest, 'hex').toString('base64')}:`;
}

function read(header: string): ReturnType<typeof parseDictionary> | undefined {
  if (header.length > MAX_HEADER_CHARS) throw new ContentDigestError('is too long');
  try {
    return parseDictionary(header);
  } catch {
    throw new ContentDigestError('is malformed');
  }
}
