import { describe, expect, it } from 'vitest';
import { decideEffect, type EffectSafety } from './effect-decision.js';

const started = { state: 'started', startedAtMs: 20_000, firstStartedAtMs: 0, timeoutMs: 10_000 } as const;
const askable: EffectSafety = { canAsk: true, settleMs: 5_000 };
const repeatable: EffectSafety = { canAsk: false, keyTtlMs: 60_000, settleMs: 5_000 };
const blind: EffectSafety = { canAsk: false, settleMs: 5_000 };

describe('R2 an effect', () => {
  it.each([askable, repeatable, blind])(
    'is performed when it is open and replayed when it is done: %j',
    (safety) => {
      expect(decideEffect({ state: 'open' }, safety, 0)).toEqual({ step: 'perform' });
      expect(decideEffect({ state: 'done' }, safety, 0)).toEqual({ step: 'replay' });
      expect(decideEffect({ state: 'unknown' }, safety, 0)).toEqual({ step: 'give_up' });
    },
  );

  it('A01 without an outcome is asked for, and "no" counts only after its time and the settle time', () => {
    expect(decideEffect(started, askable, 20_000)).toEqual({ step: 'ask', noCountsFromMs: 35_000 });
  });

  it('without an outcome is asked for rather than repeated where both are possible', () => {
    expect(decideEffect(started, { ...repeatable, canAsk: true }, 20_000).step).toBe('ask');
  });

  it("is repeated only while a repeat still arrives within the key's lifetime", () => {
    expect(decideEffect(started, repeatable, 49_999)).toEqual({ step: 'perform' });
    expect(decideEffect(started, repeatable, 50_000)).toEqual({ step: 'give_up' });
  });

  it('is never repeated where the outside neither takes keys nor can be asked', () => {
    expect(decideEffect(started, blind, 20_000)).toEqual({ step: 'give_up' });
  });
});
