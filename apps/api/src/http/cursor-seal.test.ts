import { hashToken, type TokenRecord } from '@fairlane/runtime';
import { describe, expect, it } from 'vitest';
import { createCursorSeal } from './cursor-seal.js';
import { Problem } from './problems.js';

const tokens: TokenRecord[] = [
  { id: 'a', tokenHash: hashToken('a'), role: 'viewer' },
  { id: 'b', tokenHash: hashToken('b'), role: 'viewer' },
];
const cursors = createCursorSeal(tokens);
const sealed = cursors.seal('jobs', { items: [1], cursor: 'WzFd' });

describe('cursor seal', () => {
  it('opens what it sealed, on every replica that has the same tokens', () => {
    expect(cursors.open('jobs', sealed.cursor ?? '')).toBe('WzFd');
    expect(createCursorSeal(tokens.toReversed()).open('jobs', sealed.cursor ?? '')).toBe('WzFd');
    expect(sealed.items).toEqual([1]);
    expect(cursors.seal('jobs', { cursor: null })).toEqual({ cursor: null });
    expect(cursors.open('jobs', undefined)).toBeUndefined();
  });

  it('opens nothing else', () => {
    const cursor = sealed.cursor ?? '';
    for (const other of ['', '.', 'WzFd', `WzJd${cursor.slice(4)}`, cursor.slice(0, -1)]) {
      expect(() => cursors.open('jobs', other)).toThrow(Problem);
    }
    expect(() => cursors.open('accounts', cursor)).toThrow(Problem);
    expect(() => createCursorSeal(tokens.slice(1)).open('jobs', cursor)).toThrow(Problem);
  });
});
