/** What happens to a job after an error: see the table in `docs/errors.md`. */
export const ERROR_CLASSES = ['throttled', 'retryable', 'permanent', 'unknown'] as const;
/** What becomes of the attempt: one of {@link ERROR_CLASSES}. */
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/**
 * Stable codes of a classified error. A permanent error's code is also the code of the dead letter;
 * the others appear in a job's `lastError` while it is retried.
 */
export const ERROR_CODES = [
  'throttled',
  'invalid_payload',
  'rejected',
  'unauthorized',
  'target_gone',
  'unknown_outcome',
  'timeout',
  'aborted',
  'connect_failed',
  'connection_lost',
  'remote_error',
  'remote_unavailable',
  'transaction_conflict',
  'retry_requested',
  'effect_deferred',
  'stale_holder',
  'ledger_unavailable',
  'unclassified',
] as const;
/** What happened: one of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Codes a handler may end a job with. */
export const PERMANENT_CODES = ['rejected', 'unauthorized', 'target_gone', 'invalid_payload'] as const;
/** One of {@link PERMANENT_CODES}. */
export type PermanentCode = (typeof PERMANENT_CODES)[number];

/**
 * Whether the failed call may have changed something outside. `no` only where that is certain (nothing was
 * sent, or the answer says so); a guarded effect is then simply performed again. Everything else is `unknown`.
 */
export type Applied = 'no' | 'unknown';

/** What an error means for the job that met it. */
export interface Classification {
  readonly class: ErrorClass;
  readonly code: ErrorCode;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number;
  /** Milliseconds the outside asked us to wait; finite and above 0. */
  readonly retryAfterMs?: number;
  /** One sentence of at most 300 characters. */
  readonly reason: string;
  readonly applied: Applied;
}

/**
 * Errors that know their own classification carry it under this key. A registered symbol rather than
 * `instanceof`, so that two installed copies of the package understand each other's errors.
 */
export const CLASSIFICATION = Symbol.for('@fairlane/sdk.classification');

const MAX_REASON_CHARS = 300;

/** Cuts a text to the bound of {@link Classification.reason} without splitting a surrogate pair. */
export function boundedReason(text: string): string {
  if (text.length <= MAX_REASON_CHARS) return text;
  return `${text.slice(0, MAX_REASON_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
