import {
  boundedReason,
  CLASSIFICATION,
  type Applied,
  type Classification,
  type ErrorCode,
  type PermanentCode,
} from './classification.js';

/** Base of every error of Fairlane: a stable `code`, one row each in `docs/errors.md`. */
export class FairlaneError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A definition (job, queues, limit groups, catalogue) that cannot work; thrown when it is defined. */
export class DefinitionError extends FairlaneError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid_definition', message, options);
  }
}

/** One thing wrong with a payload; `path` as in `contacts[0].phone`, empty for the payload as a whole. */
export interface PayloadIssue {
  readonly path: string;
  readonly message: string;
}

/** `leadId: expected string; step: expected number` */
export function describeIssues(issues: readonly PayloadIssue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** A payload that its contract refuses. Never carries the payload's values. */
export class PayloadError extends FairlaneError {
  readonly issues: readonly PayloadIssue[];
  readonly [CLASSIFICATION]: Classification;

  constructor(job: string, issues: readonly PayloadIssue[], options?: ErrorOptions) {
    const text = describeIssues(issues);
    super('invalid_payload', `payload of ${job} refused: ${text}`, options);
    this.issues = issues;
    this[CLASSIFICATION] = {
      class: 'permanent',
      code: 'invalid_payload',
      reason: boundedReason(text),
      applied: 'no',
    };
  }
}

/** A stored payload is of a newer contract version than this process knows. Costs no attempt: a newer worker takes it. */
export class VersionAheadError extends FairlaneError {
  constructor(job: string, stored: number, known: number) {
    super(
      'version_ahead',
      `a payload of ${job} has version ${stored}, this process knows up to ${known}: deploy the newer contract here`,
    );
  }
}

/** What the handler's own errors have in common. */
interface OutcomeOptions {
  /** One sentence fit for a product screen. */
  readonly reason?: string;
  /** HTTP status of the outside's answer, where there was one. */
  readonly status?: number;
  /** `no` when it is certain that nothing changed outside; default `unknown`, for throttled and permanent `no`. */
  readonly applied?: Applied;
  readonly cause?: unknown;
}

abstract class OutcomeError extends FairlaneError {
  readonly status: number | undefined;
  readonly [CLASSIFICATION]: Classification;

  protected constructor(classification: Classification, cause: unknown) {
    super(classification.code, classification.reason, cause === undefined ? undefined : { cause });
    this.status = classification.status;
    this[CLASSIFICATION] = { ...classification, reason: boundedReason(classification.reason) };
  }
}

function withStatus(status: number | undefined): { status?: number } {
  return status === undefined ? {} : { status };
}

/**
 * The job cannot succeed: it becomes a dead letter at once.
 *
 * @example
 * throw new PermanentError({ code: 'target_gone', reason: 'The lead was deleted in the CRM.' });
 */
export class PermanentError extends OutcomeError {
  constructor(options: OutcomeOptions & { readonly code?: PermanentCode } = {}) {
    const { code = 'rejected', reason = 'The job cannot succeed.', status, applied = 'no', cause } = options;
    super({ class: 'permanent', code, reason, applied, ...withStatus(status) }, cause);
  }
}

/** The attempt failed in a way that a later attempt may not; spends an attempt and waits by the retry policy. */
export class RetryableError extends OutcomeError {
  constructor(options: OutcomeOptions & { readonly code?: ErrorCode; readonly retryAfterMs?: number } = {}) {
    const {
      code = 'retry_requested',
      reason = 'The attempt failed and can be tried again.',
      status,
      applied = 'unknown',
      cause,
    } = options;
    const wait = positiveMs(options.retryAfterMs);
    super({ class: 'retryable', code, reason, applied, ...withStatus(status), ...wait }, cause);
  }
}

/**
 * The outside asked us to slow down. Spends no attempt: the gate of the job's account and limit group closes
 * for `retryAfterMs` milliseconds (a backoff where it is left out or is not a number above 0).
 */
export class ThrottledError extends OutcomeError {
  readonly retryAfterMs: number | undefined;

  constructor(options: OutcomeOptions & { readonly retryAfterMs?: number } = {}) {
    const { reason = 'The outside asked to slow down.', status, applied = 'no', cause } = options;
    const wait = positiveMs(options.retryAfterMs);
    super({ class: 'throttled', code: 'throttled', reason, applied, ...withStatus(status), ...wait }, cause);
    this.retryAfterMs = wait.retryAfterMs;
  }
}

/** Nobody can tell whether the effect was applied, and it must not be repeated: a person decides. */
export class UnknownOutcomeError extends OutcomeError {
  constructor(options: Omit<OutcomeOptions, 'applied'> = {}) {
    const { reason = 'It is unknown whether the effect was applied.', status, cause } = options;
    super(
      { class: 'permanent', code: 'unknown_outcome', reason, applied: 'unknown', ...withStatus(status) },
      cause,
    );
  }
}

/**
 * An effect cannot go on now and it is not the job's fault: it cannot be told yet whether an earlier attempt applied
 * it, or the ledger cannot be reached. The job starts again later and spends no attempt; no gate closes. Dead with
 * `unknown_outcome` after the contract's `maxDeferMs`. Thrown by `ctx.effect`.
 */
export class EffectDeferredError extends OutcomeError {
  constructor(options: Omit<OutcomeOptions, 'applied' | 'status'> & { readonly retryAfterMs?: number } = {}) {
    const { reason = 'It cannot be told yet whether the effect was applied.', cause } = options;
    const wait = positiveMs(options.retryAfterMs);
    super({ class: 'throttled', code: 'effect_deferred', reason, applied: 'unknown', ...wait }, cause);
  }
}

/**
 * `ctx.effect` was used in a way that cannot work, such as twice under one name in one attempt. A bug of the handler,
 * so the job is dead at once.
 */
export class EffectMisuseError extends FairlaneError {
  readonly [CLASSIFICATION]: Classification;

  constructor(reason: string) {
    super('effect_misuse', reason);
    this[CLASSIFICATION] = {
      class: 'permanent',
      code: 'rejected',
      reason: boundedReason(reason),
      applied: 'no',
    };
  }
}

function positiveMs(value: number | undefined): { retryAfterMs?: number } {
  return value !== undefined && Number.isFinite(value) && value > 0 ? { retryAfterMs: value } : {};
}
