export interface Rows<T> {
  /** What to show, in the order that is on the screen. */
  shown: T[];
  /** Newer ones that are not shown yet. */
  newCount: number;
}

interface MergeOptions<T> {
  idOf: (row: T) => string;
  /** Descending along the list. */
  orderOf: (row: T) => number;
  /** Whether the fresh page is the last one, so that what it lacks is gone. */
  isLast: boolean;
}

/**
 * Rows must not move under a hand that is about to click. Those on the screen are patched in place; newer ones
 * are only counted. A row that the fresh page lacks was either pushed off its end, and stays, or is gone.
 */
export function mergeRows<T>(before: readonly T[], fresh: readonly T[], options: MergeOptions<T>): Rows<T> {
  const { idOf, orderOf, isLast } = options;
  if (before.length === 0) return { shown: [...fresh], newCount: 0 };
  const byId = new Map(fresh.map((row) => [idOf(row), row]));
  const end = fresh.at(-1);
  const shown = before.flatMap((row) => {
    const patched = byId.get(idOf(row));
    if (patched !== undefined) return [patched];
    const isPushedOff = !isLast && end !== undefined && orderOf(row) <= orderOf(end);
    return isPushedOff ? [row] : [];
  });
  const known = new Set(shown.map(idOf));
  const first = shown[0];
  const others = fresh.filter((row) => !known.has(idOf(row)));
  const newer = others.filter((row) => first === undefined || orderOf(row) >= orderOf(first));
  // What moved up from a later page when rows went; below the screen's end it may be shown at once.
  const older = others.filter((row) => first !== undefined && orderOf(row) < orderOf(first));
  const filled = [...shown, ...older].toSorted((one, other) => orderOf(other) - orderOf(one));
  return { shown: filled.slice(0, Math.max(before.length, 50)), newCount: newer.length };
}
