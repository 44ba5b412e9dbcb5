import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CLASSES, ERROR_CODES, type Classification } from '../errors/classification.js';
import { DEFAULT_RETRY_POLICY } from '../contract/contract.js';
import { decideFailure, type FailedAttempt } from './failure-decision.js';
import { DEAD_CODES } from '../job-states.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2024, 0, 2);

function decide(classification: Partial<Classification>, rest: Partial<FailedAttempt> = {}) {
  return decideFailure({
    classification: {
      class: 'retryable',
      code: 'timeout',
      reason: '',
      applied: 'unknown',
      ...classification,
    },
    timedOut: false,
    policy: DEFAULT_RETRY_POLICY,
    attempt: 1,
    deferrals: 1,
    deferredSinceMs: undefined,
    nowMs: NOW,
    random: () => 0.5,
    ...rest,
  });
}

describe('a failed attempt', () => {
  it('is tried again after a backoff while attempts are left', () => {
    expect(decide({}, { attempt: 7 })).toEqual({ kind: 'retry', delayMs: 160_000 });
    expect(decide({}, { attempt: 8 })).toEqual({ kind: 'dead', code: 'attempts_exhausted' });
    expect(decide({ class: 'unknown', code: 'unclassified' }, { attempt: 1 })).toEqual({
      kind: 'retry',
      delayMs: 2_500,
    });
  });

  it('A08 waits as long as the outside asked', () => {
    expect(decide({ retryAfterMs: 60_000 })).toEqual({ kind: 'retry', delayMs: 60_000 });
  });

  it.each(['rejected', 'unauthorized', 'target_gone', 'invalid_payload', 'unknown_outcome'] as const)(
    'is the last one when it was permanent: %s',
    (code) => {
      expect(decide({ class: 'permanent', code })).toEqual({ kind: 'dead', code });
    },
  );

  it('that ran out of time ends as timeout, but a definite answer stands', () => {
    expect(decide({ code: 'aborted' }, { timedOut: true, attempt: 8 })).toEqual({
      kind: 'dead',
      code: 'timeout',
    });
    expect(decide({ code: 'aborted' }, { timedOut: true, attempt: 2 })).toEqual({
      kind: 'retry',
      delayMs: 5_000,
    });
    expect(decide({ class: 'permanent', code: 'rejected' }, { timedOut: true }).kind).toBe('dead');
    expect(decide({ class: 'throttled', code: 'throttled' }, { timedOut: true }).kind).toBe('defer');
  });
});

describe('A11 a start that was put off', () => {
  const throttled = { class: 'throttled', code: 'throttled' } as const;

  it('spends no attempt, even when none is left', () => {
    expect(decide({ ...throttled, retryAfterMs: 2_000 }, { attempt: 8 })).toEqual({
      kind: 'defer',
      delayMs: 2_000,
      sinceMs: NOW,
    });
  });

  it('backs off by the number of deferrals where the outside names no time', () => {
    expect(decide(throttled, { deferrals: 3 })).toMatchObject({ kind: 'defer', delayMs: 10_000 });
  });

  it('keeps the time of the first', () => {
    expect(decide(throttled, { deferredSinceMs: NOW - HOUR })).toMatchObject({ sinceMs: NOW - HOUR });
  });

  it.each([
    ['throttled', throttled, 'throttled'],
    [
      'an outcome that cannot be told yet',
      { class: 'throttled', code: 'effect_deferred' } as const,
      'unknown_outcome',
    ],
  ])('ends the job after maxDeferMs: %s', (_what, classification, code) => {
    const dead = { kind: 'dead', code };
    expect(decide(classification, { deferredSinceMs: NOW - 24 * HOUR })).toEqual(dead);
    expect(decide({ ...classification, retryAfterMs: HOUR }, { deferredSinceMs: NOW - 23.5 * HOUR })).toEqual(
      dead,
    );
    expect(decide({ ...classification, retryAfterMs: HOUR }, { deferredSinceMs: NOW - 22 * HOUR }).kind).toBe(
      'defer',
    );
  });
});

it('A09 decides for a delay of 0 or more, or for a known end, whatever happened', () => {
  const classification = fc.record({
    class: fc.constantFrom(...ERROR_CLASSES),
    code: fc.constantFrom(...ERROR_CODES),
    reason: fc.constant(''),
    applied: fc.constantFrom('no' as const, 'unknown' as const),
    retryAfterMs: fc.double({ min: Number.MIN_VALUE, max: 1e300, noNaN: true }),
  });
  const failed = fc.record({
    timedOut: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 20 }),
    deferrals: fc.integer({ min: 1, max: 1e6 }),
    deferredSinceMs: fc.option(fc.integer({ min: 0, max: NOW }), { nil: undefined }),
  });
  fc.assert(
    fc.property(classification, failed, (found, rest) => {
      const decision = decide(found, rest);
      const delayMs = decision.kind === 'dead' ? 0 : decision.delayMs;
      expect(Number.isSafeInteger(delayMs) && delayMs >= 0).toBe(true);
      expect([...DEAD_CODES, undefined]).toContain(decision.kind === 'dead' ? decision.code : undefined);
    }),
  );
});
