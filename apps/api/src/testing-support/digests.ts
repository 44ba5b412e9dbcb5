import { createHash } from 'node:crypto';
import { formatContentDigest } from '@fairlane/blobs';

export function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** The `Content-Digest` header of a body. */
export function contentDigest(body: string | Uint8Array): string {
  return formatContentDigest(sha256(body));
}
