import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TokenRecord } from '@fairlane/runtime';
import { Problem } from './problems.js';

/**
 * Cursors name places in Redis, so one that a client made up must not be followed: they are sealed here and
 * opened again only for the list they came from. The key is made of the token hashes, which every replica
 * has and nobody else knows; cursors live as long as a paging client, so a changed token may end them.
 */
export function createCursorSeal(tokens: readonly TokenRecord[]) {
  const hashes = tokens.map(({ tokenHash }) => tokenHash).toSorted();
  const key = createHash('sha256').update('fairlane cursor;').update(hashes.join(';')).digest();
  const sealOf = (list: string, cursor: string) =>
    createHmac('sha256', key).update(`${list};${cursor}`).digest().subarray(0, 12);
  return {
    seal<T extends { readonly cursor: string | null }>(list: string, page: T): T {
      const { cursor } = page;
      return cursor === null
        ? page
        : { ...page, cursor: `${cursor}.${sealOf(list, cursor).toString('base64url')}` };
    },
    /** @throws Problem `invalid_request` for one that was not given out for this list. */
    open(list: string, sealed: string | undefined): string | undefined {
      if (sealed === undefined) return undefined;
      const dot = sealed.lastIndexOf('.');
      const cursor = sealed.slice(0, Math.max(0, dot));
      const seal = Buffer.from(sealed.slice(dot + 1), 'base64url');
      const expected = sealOf(list, cursor);
      if (seal.length === expected.length && timingSafeEqual(seal, expected)) return cursor;
      const message = 'is not a cursor of this list';
      throw new Problem('invalid_request', {
        detail: `cursor: ${message}`,
        issues: [{ path: 'cursor', message }],
      });
    },
  };
}

export type CursorSeal = ReturnType<typeof createCursorSeal>;
