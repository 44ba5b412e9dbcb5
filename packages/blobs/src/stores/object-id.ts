import { randomBytes } from 'node:crypto';

const ID_PATTERN = /^[\w-]{22}$/;

export function newObjectId(): string {
  return randomBytes(16).toString('base64url');
}

/** Ids become parts of paths and keys, so nothing else may pass. */
export function assertId(id: string): string {
  if (!ID_PATTERN.test(id)) throw new TypeError('a blob id has 22 characters of base64url');
  return id;
}
