import { useRef, useState } from 'react';
import type { Page } from '../api/types.js';
import { mergeRows } from './merge-rows.js';

interface RowsOptions<T> {
  /** Changes with the filters: another list starts anew. */
  listId: string;
  idOf: (row: T) => string;
  orderOf: (row: T) => number;
  /** The page is still that of the filters of before. */
  isPlaceholder: boolean;
  /** Nothing moves while rows are selected. */
  isFrozen: boolean;
}

/** The rows of a live list as they stand on the screen; see {@link mergeRows}. */
export function useRows<T>(page: Page<T> | undefined, options: RowsOptions<T>) {
  const { listId, idOf, orderOf, isPlaceholder, isFrozen } = options;
  const kept = useRef<{ listId: string; shown: T[] }>({ listId, shown: [] });
  const [, redraw] = useState(0);
  if (isPlaceholder) return { rows: kept.current.shown, newCount: 0, showNew: () => undefined };
  if (kept.current.listId !== listId) kept.current = { listId, shown: [] };
  if (page === undefined) return { rows: [], newCount: 0, showNew: () => undefined };
  const merged = mergeRows(kept.current.shown, page.items, { idOf, orderOf, isLast: page.cursor === null });
  if (!isFrozen || kept.current.shown.length === 0) kept.current.shown = merged.shown;
  return {
    rows: kept.current.shown,
    newCount: merged.newCount,
    showNew: () => {
      kept.current.shown = [];
      redraw((count) => count + 1);
    },
  };
}
