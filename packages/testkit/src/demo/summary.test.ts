import { describe, expect, it } from 'vitest';

import type { SandboxReport } from '../sandbox/index.js';
import type { JobView } from './api-client.js';
import { RunRecord } from './run-record.js';
import { isGood, percentiles, summarize } from './summary.js';

const view = (id: string, more: Partial<JobView> = {}): JobView => ({
  id,
  key: `key-${id}`,
  account: 'a',
  state: 'completed',
  attempts: { made: 1, max: 8 },
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.100Z',
  finishedAt: '2026-01-01T00:00:00.150Z',
  ...more,
});

const empty: SandboxReport = {
  requests: 0,
  applied: 0,
  repeated: 0,
  violations: 0,
  achievedFraction: null,
  expectedDead: 0,
  byReference: {},
};
const applied = { requests: 1, applied: 1, lastStatus: 200, ambiguous: false };
const gone = { requests: 1, applied: 0, lastStatus: 404, ambiguous: false };

function summaryOf(
  views: (JobView | undefined)[],
  after: Partial<SandboxReport>,
  options: { limited?: boolean; before?: Partial<SandboxReport>; blind?: string[]; again?: boolean } = {},
) {
  const record = new RunRecord();
  for (const [index, seen] of views.entries()) {
    const id = seen?.id ?? `missing-${index}`;
    record.answered({ line: index + 1, status: options.again === true ? 'duplicate' : 'accepted', id });
    record.seen(id, seen);
  }
  return summarize({
    record,
    jobs: views.length,
    accounts: 1,
    workers: 1,
    seed: 1,
    workersKilled: 0,
    elapsedMs: 1_000,
    before: { ...empty, ...options.before },
    blind: new Set(options.blind),
    after: { ...empty, ...after },
    limited: options.limited ?? false,
  });
}

describe('the summary', () => {
  it('is good when every job ended as the platform says', () => {
    const dead = view('2', { state: 'dead', lastError: { code: 'target_gone' } });
    const summary = summaryOf([view('1'), dead], {
      applied: 1,
      expectedDead: 1,
      byReference: { 'key-1': applied, 'key-2': gone },
    });
    expect(summary).toMatchObject({ completed: 1, dead: 1, deadByCode: { target_gone: 1 }, lost: 0 });
    expect(isGood(summary)).toBe(true);
  });

  it.each([
    ['never ended', [view('1', { state: 'active' })], {}],
    ['cannot be found any more', [undefined], {}],
    ['completed although the platform never saw it', [view('1')], { byReference: {} }],
  ])('counts a job as lost that %s (R1)', (_, views, after) => {
    const summary = summaryOf(views, after);
    expect(summary.lost).toBe(1);
    expect(isGood(summary)).toBe(false);
  });

  it('is not good when a message was sent twice (R2)', () => {
    const summary = summaryOf([view('1')], { applied: 2, repeated: 1, byReference: { 'key-1': applied } });
    expect(isGood(summary)).toBe(false);
  });

  it('is not good when more or fewer are dead than the platform refused', () => {
    const dead = view('1', { state: 'dead', lastError: { code: 'attempts_exhausted' } });
    expect(isGood(summaryOf([dead], { byReference: { 'key-1': applied } }))).toBe(false);
    const completed = summaryOf([view('1')], { expectedDead: 1, byReference: { 'key-1': applied } });
    expect(isGood(completed)).toBe(false);
  });

  it('leaves out what the platform did for others before', () => {
    const summary = summaryOf(
      [view('1')],
      { applied: 11, repeated: 3, expectedDead: 4, byReference: { 'key-1': applied, other: gone } },
      { before: { applied: 10, repeated: 3, expectedDead: 4 } },
    );
    expect(summary.effects).toEqual({ applied: 1, repeated: 0 });
    expect(summary.expectedDead).toBe(0);
  });

  it('expects of jobs of an earlier run what the platform expects of each', () => {
    const views = [view('1'), view('2', { state: 'dead', lastError: { code: 'unknown_outcome' } })];
    const byReference = { 'key-1': applied, 'key-2': { ...applied, ambiguous: true }, other: gone };
    const earlier = { before: { expectedDead: 2 }, again: true };
    const blind = views.map((seen) => seen.account);
    expect(summaryOf(views, { expectedDead: 2, byReference }, { ...earlier, blind }).expectedDead).toBe(1);
    expect(summaryOf(views, { expectedDead: 2, byReference }, earlier).expectedDead).toBe(0);
  });

  it('says null and not 0 where no limit was in force (R3)', () => {
    expect(summaryOf([], {}).limits).toEqual({
      violations: null,
      achievedFraction: null,
      deferredWithoutAttempt: null,
    });
    const limited = summaryOf([], { achievedFraction: 0.97 }, { limited: true });
    expect(limited.limits).toEqual({ violations: 0, achievedFraction: 0.97, deferredWithoutAttempt: 0 });
  });

  it('counts a job that was held as deferred, unless an attempt was spent on it (R7)', () => {
    const record = new RunRecord();
    const held = view('1', { state: 'held', attempts: { made: 0, max: 8 } });
    const retried = view('2', { state: 'held', attempts: { made: 1, max: 8 } });
    for (const seen of [held, held, retried, view('3')]) record.seen(seen.id, seen);
    expect(record.deferredCount).toBe(1);
  });

  it('tells how long the smaller half of the accounts waited, and the largest', () => {
    const late = '2026-01-01T00:00:09.000Z';
    const views = [
      ...['1', '2', '3'].map((id) => view(id, { account: 'large', startedAt: late })),
      ...['4', '5'].map((id) => view(id, { account: 'middle', startedAt: late })),
      view('6', { account: 'small' }),
      view('7', { account: 'smaller' }),
    ];
    const summary = summaryOf(views, {});
    expect(summary.smallAccounts.waitMs).toEqual({ p50: 100, p99: 100 });
    expect(summary.largestAccount).toEqual({ jobs: 3, waitMs: { p50: 9_000, p99: 9_000 } });
  });

  it('takes no backoff for waiting', () => {
    const retried = view('2', { attempts: { made: 2, max: 8 }, startedAt: '2026-01-01T00:00:30.000Z' });
    expect(summaryOf([view('1'), retried], {}).timeInQueueMs).toEqual({ p50: 100, p99: 100 });
  });
});

describe('percentiles', () => {
  it('are nearest ranks, and null of nothing', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentiles(hundred)).toEqual({ p50: 50, p99: 99 });
    expect(percentiles([7])).toEqual({ p50: 7, p99: 7 });
    expect(percentiles([undefined])).toEqual({ p50: null, p99: null });
  });
});
