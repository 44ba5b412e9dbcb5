import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { EffectModel, type Fate } from './effect-model.js';
import type { LedgerInTests } from './ledger-in-tests.js';
import type { OutsideKind, Treatment } from './outside.js';

/** Most calls of one attempt: begin, ask, repeat, send, record. */
const MAX_STEPS = 6;

const when = fc.constantFrom('before', 'after');
const step = fc.nat({ max: MAX_STEPS - 1 });

function fates(pauses: fc.Arbitrary<Fate['pause']>, times: readonly number[]): fc.Arbitrary<Fate[]> {
  const send = fc.constantFrom<Treatment>(
    'answers',
    'answers 429',
    'answers 500, applied',
    'answers 500, not applied',
    'applies late',
  );
  const fate = fc
    .record({
      afterMs: fc.constantFrom(...times),
      send,
      question: fc.constantFrom<Treatment>('answers', 'cannot tell'),
      crash: fc.option(fc.record({ step, when }), { nil: undefined }),
      pause: pauses,
      lost: fc.option(fc.record({ step }), { nil: undefined, freq: 2 }),
    })
    .map(({ crash, pause, lost, ...rest }): Fate => {
      return {
        ...rest,
        ...(crash === undefined ? {} : { crash }),
        ...(pause === undefined ? {} : { pause }),
        ...(lost === undefined ? {} : { lost }),
      };
    });
  return fc.array(fate, { maxLength: 5 });
}

const noPause = fc.constant(undefined);
const pauseAtLedger = fc.option(fc.record({ step, when, atSend: fc.constant(false) }), { nil: undefined });
const pauseAnywhere = fc.option(fc.record({ step, when, atSend: fc.constant(true) }), { nil: undefined });

/** Around time-out (1 s), settle time (0.5 s) and key lifetime (100 s) of the outside. */
const ANY_TIME = [0, 400, 1_500, 5_000, 30_000, 120_000];
const SHORT_TIME = [0, 400, 1_500, 5_000];

/**
 * R2 under crashes before and after every call that an attempt makes, lost answers of the ledger, answers of every kind
 * of the outside, and processes that are stopped and go on when another has taken over.
 */
export function describeEffectProperties(store: string, open: () => LedgerInTests, numRuns: number): void {
  async function play(kind: OutsideKind, played: readonly Fate[]) {
    const { ledger, clock } = open();
    const model = new EffectModel(kind, ledger, clock);
    const verdict = await model.play(played);
    return { verdict, outside: model.outside, states: await ledger.effects(model.job.id) };
  }

  async function holds(arbitrary: fc.Arbitrary<Fate[]>, check: (played: Fate[]) => Promise<void>) {
    await fc.assert(fc.asyncProperty(arbitrary, check), { numRuns, seed: 7 });
  }

  describe(`R2 on the ${store} ledger`, () => {
    it('keys: applied at most once, and once when the job is done', async () => {
      await holds(fates(pauseAtLedger, ANY_TIME), async (played) => {
        const { verdict, outside } = await play('keys', played);
        expect(['done', 'unknown']).toContain(verdict);
        expect(outside.applied).toBeLessThanOrEqual(1);
        expect(verdict === 'unknown' || outside.applied === 1).toBe(true);
      });
    });

    it('keys: a process that was stopped before it sends cannot repeat either, within the key lifetime', async () => {
      await holds(fates(pauseAnywhere, SHORT_TIME), async (played) => {
        const { verdict, outside } = await play('keys', played);
        expect(verdict).toBe('done');
        expect(outside.applied).toBe(1);
      });
    });

    it('lookup: applied exactly once, though answers are lost, late or missing', async () => {
      await holds(fates(noPause, ANY_TIME), async (played) => {
        const { verdict, outside, states } = await play('lookup', played);
        expect(verdict).toBe('done');
        expect(outside.applied).toBe(1);
        expect(states).toMatchObject([{ name: 'send', state: 'done' }]);
      });
    });

    it('lookup: a process that was stopped while it asked the ledger or the outside cannot repeat', async () => {
      await holds(fates(pauseAtLedger, ANY_TIME), async (played) => {
        const { verdict, outside } = await play('lookup', played);
        expect(verdict).toBe('done');
        expect(outside.applied).toBe(1);
      });
    });

    it('blind: sent once more only after a certain refusal; every other doubt goes to a person', async () => {
      await holds(fates(pauseAnywhere, ANY_TIME), async (played) => {
        const { verdict, outside } = await play('blind', played);
        expect(['done', 'unknown']).toContain(verdict);
        expect(outside.applied).toBeLessThanOrEqual(1);
        expect(verdict === 'unknown' || outside.applied === 1).toBe(true);
        expect(outside.calls.filter(({ refused }) => !refused).length).toBeLessThanOrEqual(1);
      });
    });
  });
}
