import type { DeadRow } from './dead-rows.js';

/** Dead letters that one count looks at, at most: some ten seconds, a page at a time. */
export const MAX_COUNTED = 500_000;
/** Rows of a page: with what is asked about them, a few milliseconds of Redis. */
export const COUNTED_AT_ONCE = 200;

export interface DeadCount {
  readonly matched: number;
  /** Of these, by the code they died with. */
  readonly byCode: Readonly<Record<string, number>>;
  /** False where the count met its bound: there may be more. */
  readonly complete: boolean;
}

/** A part of what is counted. */
export interface CountedPage {
  readonly letters: readonly DeadRow[];
  /** Dead letters that were looked at, whether or not they match. */
  readonly looked: number;
  /** Null at the end. */
  readonly cursor: string | null;
}

/**
 * Counts page by page: memory and every single wait stay bounded, however many there are.
 *
 * @param bound most letters that are looked at, but for what is left of a page.
 */
export async function countDead(
  readPage: (cursor: string | undefined) => Promise<CountedPage>,
  bound = MAX_COUNTED,
): Promise<DeadCount> {
  const byCode = new Map<string, number>();
  let [matched, looked] = [0, 0];
  let cursor: string | null | undefined;
  do {
    const page = await readPage(cursor ?? undefined);
    for (const { code } of page.letters) byCode.set(code, (byCode.get(code) ?? 0) + 1);
    matched += page.letters.length;
    looked += page.looked;
    cursor = page.cursor;
  } while (cursor !== null && looked < bound);
  return { matched, byCode: Object.fromEntries(byCode), complete: cursor === null };
}
