/** What the ledger holds of an effect when an attempt comes to it. */
export type EffectState =
  /** Never begun, or known not to have been applied: performing is safe. */
  | { readonly state: 'open' }
  /** Begun by an earlier attempt that left no outcome. */
  | {
      readonly state: 'started';
      /** Of the latest start; milliseconds since the epoch, as all times here. */
      readonly startedAtMs: number;
      /** Of the first start, when the outside saw the idempotency key first. */
      readonly firstStartedAtMs: number;
      /** Time the latest start was given. */
      readonly timeoutMs: number;
    }
  | { readonly state: 'done' }
  /** Given up: a person decides. */
  | { readonly state: 'unknown' };

/** How long after its time-out a request may still be applied, where `EffectOptions.settleMs` does not say. */
export const DEFAULT_SETTLE_MS = 5_000;

/** How an effect can be made sure of; from `EffectOptions`. */
export interface EffectSafety {
  readonly canAsk: boolean;
  /** How long the outside drops repeats of one idempotency key; left out: it does not. */
  readonly keyTtlMs?: number;
  /** How long after its time-out a request may still be applied. */
  readonly settleMs: number;
}

/** What to do about an effect now. */
export type EffectStep =
  | { readonly step: 'perform' }
  /** Give the stored result back. */
  | { readonly step: 'replay' }
  /** Ask the outside; "no" counts from `noCountsFromMs` on, before that it means "cannot tell". */
  | { readonly step: 'ask'; readonly noCountsFromMs: number }
  /** Nobody can tell whether it was applied. */
  | { readonly step: 'give_up' };

/**
 * What an attempt does about an effect, by what earlier attempts left of it. Pure.
 *
 * A request that timed out may still be on its way, so its absence outside proves nothing before its time and the
 * settle time are over. An outside that can be asked is asked even where it honours keys: asking cannot repeat.
 */
export function decideEffect(found: EffectState, safety: EffectSafety, nowMs: number): EffectStep {
  if (found.state === 'started') return afterStart(found, safety, nowMs);
  if (found.state === 'open') return { step: 'perform' };
  return { step: found.state === 'done' ? 'replay' : 'give_up' };
}

function afterStart(
  { startedAtMs, firstStartedAtMs, timeoutMs }: Extract<EffectState, { state: 'started' }>,
  { canAsk, keyTtlMs, settleMs }: EffectSafety,
  nowMs: number,
): EffectStep {
  if (canAsk) return { step: 'ask', noCountsFromMs: startedAtMs + timeoutMs + settleMs };
  // The repeat must arrive within the key's lifetime, so the time a request may take is kept free.
  const repeatable = keyTtlMs !== undefined && nowMs < firstStartedAtMs + keyTtlMs - timeoutMs;
  return { step: repeatable ? 'perform' : 'give_up' };
}
