import { describe, expect, it } from 'vitest';

import type { JobView } from '../demo/api-client.js';
import type { AccountKind, ReferenceReport } from '../sandbox/index.js';
import type { Step } from './history.js';
import { judge } from './verdict.js';

interface Case {
  kind: AccountKind;
  state: string;
  code?: string;
  /** Left out: the platform never heard of it. */
  seen?: Partial<ReferenceReport>;
  steps?: Step[];
}

/** A run of one job. */
function judgeOne({ kind, state, code, seen, steps = ['admitted', 'ended'] }: Case) {
  const view: JobView = {
    id: 'job',
    key: 'reference',
    account: 'a',
    state,
    attempts: { made: 1, max: 8 },
    ...(code === undefined ? {} : { lastError: { code } }),
    createdAt: '',
  };
  const reference = { requests: 1, applied: 0, lastStatus: 200, ambiguous: false, ...seen };
  return judge({
    views: new Map([['job', view]]),
    history: steps.map((step, atMs) => ({ step, atMs, jobId: 'job' })),
    report: {
      requests: 1,
      applied: reference.applied,
      repeated: 0,
      violations: 0,
      achievedFraction: null,
      expectedDead: 0,
      byReference: seen === undefined ? {} : { reference },
    },
    kindOf: () => kind,
    limitsOf: () => undefined,
    leaseMs: 5_000,
  });
}

describe('the verdict on a crash run', () => {
  it('has nothing against one effect and one end', () => {
    expect(judgeOne({ kind: 'keys', state: 'completed', seen: { applied: 1 } })).toMatchObject({
      completed: 1,
      lost: 0,
      violations: [],
    });
  });

  it('calls a job lost that has not ended, or ended without its effect', () => {
    expect(judgeOne({ kind: 'keys', state: 'active', steps: ['admitted'] })).toMatchObject({
      lost: 1,
      violations: ['R1: job never ended', 'R1: job of a is active'],
    });
    expect(judgeOne({ kind: 'keys', state: 'completed' })).toMatchObject({
      lost: 1,
      violations: [expect.stringContaining('the platform applied nothing')],
    });
  });

  it.each([
    ['keys', true],
    ['blind', true],
    // The exception that R2 names: counted, and no more.
    ['lookup', false],
  ] as const)('a repeated effect in a %s account breaks R2: %s', (kind, isBroken) => {
    const { repeated, violations } = judgeOne({ kind, state: 'completed', seen: { applied: 2 } });
    expect(repeated[kind]).toBe(1);
    expect(violations.length > 0).toBe(isBroken);
  });

  it('takes a dead job that the platform refused, and no other', () => {
    const dead = { kind: 'lookup', state: 'dead' } as const;
    expect(judgeOne({ ...dead, code: 'target_gone', seen: { lastStatus: 404 } }).violations).toEqual([]);
    expect(judgeOne({ ...dead, code: 'attempts_exhausted', seen: { lastStatus: 500 } }).violations).toEqual([
      'R1: job of a (lookup) is dead without a reason: attempts_exhausted',
    ]);
  });

  describe('an unknown outcome in a blind account', () => {
    const unknown = { kind: 'blind', state: 'dead', code: 'unknown_outcome' } as const;

    it('is right where the platform says so', () => {
      const verdict = judgeOne({ ...unknown, seen: { ambiguous: true } });
      expect(verdict).toMatchObject({ dead: 1, unknownByLostWorker: 0, violations: [] });
    });

    it('is explained by a lost worker', () => {
      const steps: Step[] = ['admitted', 'returned', 'lost', 'admitted', 'ended'];
      const verdict = judgeOne({ ...unknown, seen: { applied: 1 }, steps });
      expect(verdict).toMatchObject({ unknownByLostWorker: 1, violations: [] });
    });

    it('is wrong otherwise, and so is success where nobody could know', () => {
      expect(judgeOne({ ...unknown, seen: { applied: 1 } }).violations).toHaveLength(1);
      const guessed = { kind: 'blind', state: 'completed', seen: { applied: 1, ambiguous: true } } as const;
      expect(judgeOne(guessed).violations).toEqual(['R2: job of a is completed although nobody could know']);
    });
  });
});
