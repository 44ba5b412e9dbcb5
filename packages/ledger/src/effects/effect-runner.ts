import type { EffectRunner } from '@fairlane/sdk/internal';

import type { EffectLedger } from '../ledger.js';
import { AttemptEffects } from './attempt-effects.js';
import { Claim, DEFAULT_PATIENCE, type LedgerPatience } from './claim.js';
import type { EffectOutcome } from './effect-outcome.js';

export interface EffectRunnerOptions {
  ledger: EffectLedger;
  /** Told once or more per use of `ctx.effect`; must not throw. */
  onOutcome?: (outcome: EffectOutcome) => void;
  /** How long a ledger that does not answer is asked again; default 3 s before sending, 30 s afterwards. */
  patience?: LedgerPatience;
}

/** `ctx.effect` on a ledger: effects that happen once, as far as the outside allows (R2). */
export function createEffectRunner(options: EffectRunnerOptions): EffectRunner {
  const { ledger, onOutcome = () => undefined, patience = DEFAULT_PATIENCE } = options;
  return {
    forAttempt(scope) {
      const effects = new AttemptEffects(scope, new Claim(ledger, scope, patience), onOutcome);
      return async (name, effect) => effects.run(name, effect);
    },
  };
}
