import { randomUUID } from 'node:crypto';
import type { OutsideInTests } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { CrashPoint, Harness } from './harness.js';

const done = { state: 'completed', result: { id: 'm-1' }, effects: { print: 'done' }, attempts: { made: 1 } };
const unknown = {
  state: 'dead',
  code: 'unknown_outcome',
  effects: { print: 'unknown' },
  attempts: { made: 1 },
};

/** What became of jobs whose process died, and how often the outside was called for each. */
const CASES: readonly [CrashPoint, 'ask' | 'repeat' | 'none', object, string[]][] = [
  ['before_perform', 'none', done, ['POST']],
  ['after_perform', 'ask', done, ['POST', 'GET']],
  ['after_perform', 'repeat', done, ['POST', 'POST']],
  ['after_perform', 'none', unknown, ['POST']],
  ['before_finish', 'none', done, ['POST']],
];

export function describeCrashes(harness: Harness, outside: OutsideInTests): void {
  describe('A01 when the process of the worker dies', () => {
    // One test, since one process runs all of them.
    it('before the effect, between effect and record, and at the end, R2 holds', async () => {
      outside.answerWith(...CASES.flatMap(() => [{ body: { id: 'm-1' } }, { body: { id: 'm-1' } }]));
      const crashes = CASES.map(([at, safety]) => ({
        at,
        payload: { accountId: 'acme', note: randomUUID(), url: outside.url, safety },
      }));
      const seen = await harness.runCrashed(crashes);
      const outcomes = CASES.map(([at, safety], index) => ({
        at,
        safety,
        seen: seen[index],
        calls: outside.calls.filter(({ path }) => path === `/${crashes[index]?.payload.note}`),
      }));
      expect(outcomes).toMatchObject(
        CASES.map(([at, safety, expected, methods]) => ({
          at,
          safety,
          seen: expected,
          calls: methods.map((method) => ({ method })),
        })),
      );
      for (const { calls } of outcomes) {
        expect(new Set(calls.map(({ headers }) => headers['idempotency-key']))).toHaveProperty('size', 1);
      }
    });
  });
}
