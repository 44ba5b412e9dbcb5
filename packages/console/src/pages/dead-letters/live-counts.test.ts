import { describe, expect, it } from 'vitest';
import { liveCounts } from './live-counts.js';

const counted = { matched: 3, byCode: { rejected: 2, throttled: 1 }, complete: true };
const rejected = { code: 'rejected' } as const;
const onlyPage = { items: [rejected], cursor: null };

describe('counts of dead letters by reason', () => {
  it('are those of the list where it is all there is, whatever was counted before', () => {
    const all = { code: undefined, isFirst: true };
    expect(liveCounts(counted, onlyPage, all)).toEqual({
      matched: 1,
      byCode: { rejected: 1 },
      complete: true,
    });
    expect(liveCounts(undefined, { items: [], cursor: null }, all)).toEqual({
      matched: 0,
      byCode: {},
      complete: true,
    });
  });

  it('with a reason chosen, the list knows that one only', () => {
    const chosen = { code: 'rejected', isFirst: true };
    expect(liveCounts(counted, onlyPage, chosen)?.byCode).toEqual({ rejected: 1, throttled: 1 });
    expect(liveCounts(undefined, onlyPage, chosen)).toBeUndefined();
  });

  it('are as counted where there is more than the list shows', () => {
    expect(liveCounts(counted, { ...onlyPage, cursor: 'more' }, { code: undefined, isFirst: true })).toBe(
      counted,
    );
    expect(liveCounts(counted, onlyPage, { code: undefined, isFirst: false })).toBe(counted);
    expect(liveCounts(counted, undefined, { code: undefined, isFirst: true })).toBe(counted);
  });
});
