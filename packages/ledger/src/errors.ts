import { RetryableError } from '@fairlane/sdk';

/** Another attempt has claimed the job, or this one is over: it may neither perform nor record. */
export class StaleHolderError extends RetryableError {
  constructor(effect: string, cause?: unknown) {
    super({ code: 'stale_holder', reason: `the attempt has lost the right to effect "${effect}"`, cause });
  }
}

/** The effect was performed and the ledger could not be told; the next attempt finds it started. */
export class LedgerUnavailableError extends RetryableError {
  constructor(effect: string, cause: unknown) {
    super({
      code: 'ledger_unavailable',
      reason: `the ledger could not be told the outcome of effect "${effect}"`,
      cause,
    });
  }
}
