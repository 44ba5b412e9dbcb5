import { describe, expect, it } from 'vitest';

import { bytesKept } from './bytes-kept.js';

const MEBIBYTE = 1024 * 1024;

describe('bytes kept', () => {
  it('are those of what is still held, in buffers and in the heap, and not of what was let go', async () => {
    const held: Buffer[] = [];
    const before = await bytesKept();
    for (let nth = 0; nth < 50; nth += 1) {
      const buffer = Buffer.alloc(MEBIBYTE, 'x');
      if (nth % 10 === 0) held.push(buffer);
    }
    let numbers: number[] | undefined = Array.from({ length: MEBIBYTE }, (_, nth) => nth + 0.5);
    const kept = (await bytesKept()) - before;
    expect(kept / MEBIBYTE).toBeGreaterThan(12.5);
    expect(kept / MEBIBYTE).toBeLessThan(15);
    expect([held.length, numbers.length]).toEqual([5, MEBIBYTE]);

    held.length = 0;
    numbers = undefined;
    expect(((await bytesKept()) - before) / MEBIBYTE).toBeLessThan(2);
  });
});
