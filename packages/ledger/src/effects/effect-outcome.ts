/** What became of one use of `ctx.effect`, to be counted. */
export type EffectOutcome =
  /** Performed by this attempt. */
  | 'performed'
  /** The kept result of an earlier attempt was given back. */
  | 'replayed'
  /** An earlier attempt had applied it, as the outside says. */
  | 'found'
  /** Certainly not applied. */
  | 'not_applied'
  /** Sent, and this attempt cannot tell whether it was applied. */
  | 'unsettled'
  /** Put off: it cannot be told now, or the ledger cannot be reached. */
  | 'deferred'
  /** Given up: a person decides. */
  | 'unknown'
  /** This attempt has lost the job. */
  | 'stale';
