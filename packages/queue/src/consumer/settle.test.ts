import * as fc from 'fast-check';
import { DEFAULT_RETRY_POLICY, type Classification } from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import { settle, type FailedAttempt } from './settle.js';

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;

function classified(part: Partial<Classification>): Classification {
  return {
    class: 'retryable',
    code: 'remote_error',
    reason: 'the outside answered 500',
    applied: 'unknown',
    ...part,
  };
}

function failed(part: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    classification: classified({}),
    stoppedBy: undefined,
    policy: DEFAULT_RETRY_POLICY,
    attempt: 1,
    deferrals: 1,
    deferredSinceMs: undefined,
    timeoutMs: 30_000,
    nowMs: NOW,
    random: () => 0.5,
    ...part,
  };
}

const throttled = (retryAfterMs?: number) =>
  classified({
    class: 'throttled',
    code: 'throttled',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe('settle', () => {
  it('buries a permanent failure at once, with its code, status and reason', () => {
    const classification = classified({
      class: 'permanent',
      code: 'target_gone',
      status: 404,
      reason: 'gone',
    });
    expect(settle(failed({ classification }))).toEqual({
      kind: 'dead',
      error: {
        code: 'target_gone',
        class: 'permanent',
        message: 'gone',
        status: 404,
        at: '2026-01-15T00:00:00.000Z',
        attempt: 1,
      },
    });
  });

  it.each([
    ['retryable', 'remote_error'],
    ['unknown', 'unclassified'],
  ] as const)('tries a failure of class %s again, with full jitter', (errorClass, code) => {
    const settlement = settle(
      failed({ classification: classified({ class: errorClass, code }), attempt: 3 }),
    );
    expect(settlement).toMatchObject({ kind: 'retry', delayMs: 10_000, error: { code } });
  });

  it('waits what the outside asked for, up to the bound', () => {
    expect(settle(failed({ classification: classified({ retryAfterMs: 2_500.2 }) }))).toMatchObject({
      kind: 'retry',
      delayMs: 2_501,
    });
    expect(settle(failed({ classification: classified({ retryAfterMs: 1e15 }) }))).toMatchObject({
      kind: 'retry',
      delayMs: DAY,
    });
  });

  it('buries the last attempt', () => {
    expect(settle(failed({ attempt: 8 }))).toMatchObject({
      kind: 'dead',
      error: { code: 'attempts_exhausted', message: 'the outside answered 500' },
    });
  });

  it('tries again after the contract time-out, and buries the last with timeout', () => {
    const timedOut = { stoppedBy: 'timeout', classification: classified({ code: 'aborted' }) } as const;
    expect(settle(failed(timedOut))).toMatchObject({ kind: 'retry', error: { code: 'timeout' } });
    expect(settle(failed({ ...timedOut, attempt: 8 }))).toMatchObject({
      kind: 'dead',
      error: { code: 'timeout' },
    });
  });

  it('writes nothing without a lease, and gives back what a shutdown stopped', () => {
    expect(settle(failed({ stoppedBy: 'lease_lost' }))).toEqual({ kind: 'abandon' });
    expect(settle(failed({ stoppedBy: 'shutdown' }))).toEqual({ kind: 'release' });
  });

  it('gives a job back as cancelled, unless the outside has given a definite answer', () => {
    const stoppedBy = 'cancelled';
    expect(settle(failed({ stoppedBy }))).toEqual({ kind: 'cancel' });
    expect(settle(failed({ stoppedBy, attempt: 8 }))).toEqual({ kind: 'cancel' });
    expect(settle(failed({ stoppedBy, classification: throttled(1_000) }))).toEqual({ kind: 'cancel' });
    const gone = classified({ class: 'permanent', code: 'target_gone' });
    expect(settle(failed({ stoppedBy, classification: gone }))).toMatchObject({ kind: 'dead' });
  });

  it('throttles, and remembers since when', () => {
    expect(settle(failed({ classification: throttled(3_000) }))).toMatchObject({
      kind: 'throttle',
      delayMs: 3_000,
      sinceMs: NOW,
    });
    const sinceMs = NOW - 60_000;
    expect(
      settle(failed({ classification: throttled(), deferrals: 4, deferredSinceMs: sinceMs })),
    ).toMatchObject({
      kind: 'throttle',
      delayMs: 20_000,
      sinceMs,
    });
  });

  it('A11 buries what is throttled beyond maxDeferMs, also when the outside asks for a longer wait than is left', () => {
    const over = { classification: throttled(1_000), deferredSinceMs: NOW - DAY };
    expect(settle(failed(over))).toMatchObject({ kind: 'dead', error: { code: 'throttled' } });
    const soon = { classification: throttled(7_200_000), deferredSinceMs: NOW - DAY + 3_600_000 };
    expect(settle(failed(soon))).toMatchObject({ kind: 'dead', error: { code: 'throttled' } });
  });

  it('puts off an effect that nobody can tell of yet, and leaves it to a person in the end', () => {
    const classification = classified({ class: 'throttled', code: 'effect_deferred' });
    expect(settle(failed({ classification }))).toMatchObject({
      kind: 'defer',
      reason: undefined,
      sinceMs: NOW,
    });
    expect(settle(failed({ classification, deferredSinceMs: NOW - DAY }))).toMatchObject({
      kind: 'dead',
      error: { code: 'unknown_outcome' },
    });
  });

  it('A08 A09 A10 gives a whole delay between 0 and the bounds, whatever the attempt and the header', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.constantFrom(1, 50, 1_100, 1e6)),
        fc.oneof(fc.constant(undefined), fc.double(), fc.constantFrom(-1, -1e15, 0, Number.NaN, Infinity)),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom('retryable', 'throttled', 'unknown'),
        (attempt, retryAfterMs, dice, errorClass) => {
          const given = retryAfterMs === undefined ? {} : { retryAfterMs };
          const policy = { ...DEFAULT_RETRY_POLICY, attempts: Infinity, maxDeferMs: Infinity };
          const settlement = settle(
            failed({
              classification: classified({ class: errorClass, ...given }),
              policy,
              attempt,
              deferrals: attempt,
              random: () => dice,
            }),
          );
          if (!('delayMs' in settlement)) throw new Error('no delay');
          const { delayMs } = settlement;
          expect(Number.isSafeInteger(delayMs)).toBe(true);
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(policy.maxRetryAfterMs);
        },
      ),
      { seed: 11, numRuns: 2_000 },
    );
  });
});
