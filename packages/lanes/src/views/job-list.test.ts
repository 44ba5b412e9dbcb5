import { expect, it } from 'vitest';
import { listJobs, type ListedState, type ReadSource } from './job-list.js';

it('R13 a page names a job once, though it ended between the reads of two states', async () => {
  let state: ListedState = 'active';
  const read: ReadSource = async (source) => {
    const isThere = source.state === state;
    const job = { id: '1', queue: source.queue, name: 'send', account: 'A', group: 'email', attempts: 1 };
    // It fails as soon as it has been seen running.
    if (isThere && state === 'active') state = 'failed';
    const rows = isThere
      ? [{ id: '1', place: { lane: '', at: '5', tail: '' }, job: { ...job, state, createdAt: 5 } }]
      : [];
    return { rows, isLast: true };
  };
  const { items, cursor } = await listJobs({ account: 'A' }, ['outreach'], 50, undefined, read);
  expect(items.map(({ id }) => id)).toEqual(['1']);
  expect(cursor).toBeNull();
});
