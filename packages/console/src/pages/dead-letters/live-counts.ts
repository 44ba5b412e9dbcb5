import type { DeadLetter, DeadLetterCodes, Page } from '../../api/types.js';

/**
 * Counts by reason, as the list that is shown knows them where it is all there is. Counting has a pace of its own, and
 * its answer is shared for some seconds: beside a list that has just become empty it would still say "rejected 1".
 */
export function liveCounts(
  counted: DeadLetterCodes | undefined,
  page: Pick<Page<Pick<DeadLetter, 'code'>>, 'items' | 'cursor'> | undefined,
  { code, isFirst }: { code: string | undefined; isFirst: boolean },
): DeadLetterCodes | undefined {
  if (page === undefined || page.cursor !== null || !isFirst) return counted;
  if (code !== undefined) {
    return counted && { ...counted, byCode: withCount(counted.byCode, code, page.items.length) };
  }
  const byCode: Record<string, number> = {};
  for (const item of page.items) byCode[item.code] = (byCode[item.code] ?? 0) + 1;
  return { matched: page.items.length, byCode, complete: true };
}

function withCount(byCode: Readonly<Record<string, number>>, code: string, count: number) {
  return Object.fromEntries([...Object.entries(byCode).filter(([each]) => each !== code), [code, count]]);
}
