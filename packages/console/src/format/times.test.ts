import { expect, test } from 'vitest';
import { formatRelative, formatUpcoming } from './times.js';

const now = Date.parse('2026-11-30T12:00:00.000Z');

test('what is to come is never told as past, though a clock may say so', () => {
  expect(formatUpcoming(now + 90_000, now)).toBe('in 1 min');
  expect(formatUpcoming(now - 90_000, now)).toBe('now');
  expect(formatRelative(now - 90_000, now)).toBe('1 min ago');
});
