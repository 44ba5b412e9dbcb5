import { describe, expect, it } from 'vitest';

import { medianRatio } from './pairs.js';

describe('medianRatio', () => {
  it('alternates who goes first, so that a steady drift favours neither side', async () => {
    const order: string[] = [];
    await medianRatio(
      { pairs: 4, sides: ['a', 'b'], say: () => undefined },
      async () => ({ value: order.push('a') }),
      async () => ({ value: order.push('b') }),
    );
    expect(order.join('')).toBe('abbaabba');
  });

  it('is the median of ratios between neighbours, not the ratio of medians', async () => {
    const left = [10, 200, 3];
    const right = [10, 100, 30];
    const ratio = await medianRatio(
      { pairs: 3, sides: ['a', 'b'], say: () => undefined },
      async () => ({ value: left.shift()! }),
      async () => ({ value: right.shift()! }),
    );
    expect(ratio).toBe(1);
  });

  it('names both sides in its progress, with what there is to say of them', async () => {
    const lines: string[] = [];
    await medianRatio(
      { pairs: 1, sides: ['lanes', 'bare'], say: (line) => lines.push(line) },
      async () => ({ value: 90, note: 'warm' }),
      async () => ({ value: 100 }),
    );
    expect(lines).toEqual(['pair 1/1: lanes 90 (warm), bare 100, ratio 0.900']);
  });
});
