import { expect, test } from 'vitest';
import { aJob } from '../../testing-support/api-answers.js';
import { campaignsOf } from './campaigns-of.js';

test('jobs are summed up by tag, the campaign of the newest job first; jobs without a tag belong to none', () => {
  const jobs = [
    aJob({ tag: 'autumn', state: 'held', createdAt: '2026-11-30T09:00:00.000Z' }),
    aJob({ tag: 'spring', state: 'completed', createdAt: '2026-11-30T08:00:00.000Z' }),
    aJob({ state: 'dead' }),
    aJob({ tag: 'autumn', state: 'active' }),
    aJob({ tag: 'autumn', state: 'retrying' }),
    aJob({ tag: 'autumn', state: 'dead' }),
    aJob({ tag: 'autumn', state: 'cancelled' }),
  ];
  const none = { waiting: 0, running: 0, completed: 0, dead: 0 };
  expect(campaignsOf(jobs)).toEqual([
    { ...none, tag: 'autumn', waiting: 2, running: 1, dead: 1, newestAt: '2026-11-30T09:00:00.000Z' },
    { ...none, tag: 'spring', completed: 1, newestAt: '2026-11-30T08:00:00.000Z' },
  ]);
});

test('a tag may be called as the members of objects are', () => {
  expect(campaignsOf([aJob({ tag: '__proto__' }), aJob({ tag: 'constructor' })])).toMatchObject([
    { tag: '__proto__', waiting: 1 },
    { tag: 'constructor', waiting: 1 },
  ]);
});
