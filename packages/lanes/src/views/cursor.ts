/** Opaque cursors: JSON in base64url; a broken one starts from the beginning. */
export function writeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function readCursor(cursor: string | undefined): unknown {
  if (!cursor) {
    return undefined;
  }
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Part of a list; `cursor` goes on after it and is null at the end. */
export interface Page<T> {
  items: T[];
  /** For the next page; null at the end. */
  cursor: string | null;
}

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

export function pageSize(limit: number | undefined): number {
  return Math.min(Math.max(Math.trunc(limit ?? DEFAULT_PAGE), 1), MAX_PAGE);
}
