import { describe, expect, test } from 'vitest';
import { mergeRows } from './merge-rows.js';

interface Row {
  id: string;
  at: number;
  state?: string;
}

const options = { idOf: ({ id }: Row) => id, orderOf: ({ at }: Row) => at, isLast: true };
const rows = (...ats: number[]): Row[] => ats.map((at) => ({ id: `row-${at}`, at }));
const idsOf = (list: readonly Row[]) => list.map(({ at }) => at);

describe('rows on the screen', () => {
  test('are all of the first page', () => {
    expect(mergeRows([], rows(3, 2, 1), options)).toEqual({ shown: rows(3, 2, 1), newCount: 0 });
  });

  test('are patched where they stand', () => {
    const patched = [{ id: 'row-2', at: 2, state: 'active' }, ...rows(1)];
    expect(mergeRows(rows(2, 1), patched, options).shown).toEqual(patched);
  });

  test('stay when newer ones come, which are counted', () => {
    const { shown, newCount } = mergeRows(rows(2, 1), rows(4, 3, 2, 1), options);
    expect(idsOf(shown)).toEqual([2, 1]);
    expect(newCount).toBe(2);
  });

  test('stay when newer ones push them off the end of the page', () => {
    const { shown, newCount } = mergeRows(rows(2, 1), rows(4, 3), { ...options, isLast: false });
    expect(idsOf(shown)).toEqual([2, 1]);
    expect(newCount).toBe(2);
  });

  test('go when the page reaches beyond where they stood', () => {
    expect(idsOf(mergeRows(rows(3, 2, 1), rows(3, 1), { ...options, isLast: false }).shown)).toEqual([3, 1]);
    expect(mergeRows(rows(2, 1), [], options)).toEqual({ shown: [], newCount: 0 });
  });

  test('are followed by older ones that moved up', () => {
    expect(mergeRows(rows(4, 3), rows(4, 2), options)).toEqual({ shown: rows(4, 2), newCount: 0 });
  });
});
