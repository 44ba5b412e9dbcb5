import { describe, expect, it } from 'vitest';
import { ReferenceBook } from './reference-book.js';

describe('the book of references', () => {
  it('names every reference that it expects to end dead, one that no request came of included', () => {
    const book = new ReferenceBook();
    book.askedInVain('r');
    expect(book.totals().expectedDead).toBe(1);
    expect(book.byReference()).toEqual({ r: { requests: 0, applied: 0, lastStatus: 0, ambiguous: true } });
  });
});
