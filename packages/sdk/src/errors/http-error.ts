import {
  boundedReason,
  CLASSIFICATION,
  type Applied,
  type Classification,
  type ErrorClass,
  type ErrorCode,
} from './classification.js';
import { FairlaneError } from './errors.js';
import { parseRetryAfter } from './retry-after.js';

/** What {@link httpError} needs of a fetch `Response`. */
export interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body?: { cancel(): Promise<void> } | null;
}

/** What {@link httpError} cannot see in the response. */
export interface HttpErrorOptions {
  /** Who answered, for the reason: `mail gateway`. Default `the outside`. */
  readonly from?: string;
  /** What the answer said, in words fit for a product screen. */
  readonly detail?: string;
  /** Statuses that this outside promises to mean "nothing was applied", such as 503. */
  readonly notApplied?: readonly number[];
  /** Milliseconds since the epoch that a Retry-After date is compared with. Default: the answer's Date, else now. */
  readonly nowMs?: number;
}

/** An HTTP answer that was not a success. */
export class HttpError extends FairlaneError {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly [CLASSIFICATION]: Classification;

  constructor(classification: Classification & { readonly status: number }) {
    super(classification.code, classification.reason);
    this.status = classification.status;
    this.retryAfterMs = classification.retryAfterMs;
    this[CLASSIFICATION] = classification;
  }
}

/**
 * Makes an error that `classifyError` understands from a fetch response. What is unread of the body is discarded,
 * since it would hold the connection.
 *
 * @example
 * if (!response.ok) throw httpError(response, { from: 'mail gateway', notApplied: [503] });
 */
export function httpError(response: ResponseLike, options: HttpErrorOptions = {}): HttpError {
  const { from = 'the outside', detail, notApplied = [], nowMs } = options;
  const { status } = response;
  // Rejects when the caller has read the body already, for `detail`.
  response.body?.cancel().catch(() => undefined);
  const { headers } = response;
  const date = nowMs === undefined ? headers.get('date') : undefined;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), nowMs ?? Date.now(), date);
  const classification = classifyStatus(status, retryAfterMs);
  const reason = boundedReason(`${from} answered ${status}${detail === undefined ? '' : `: ${detail}`}`);
  const applied: Applied = notApplied.includes(status) ? 'no' : classification.applied;
  return new HttpError({ ...classification, status, reason, applied });
}

/**
 * Meaning of an HTTP status for a job. A 4xx answers a request that was understood and turned down, so nothing
 * was applied; 408 is a time-out like any other; of a 5xx nobody knows.
 */
export function classifyStatus(
  status: number,
  retryAfterMs: number | undefined,
): Omit<Classification, 'reason'> {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const of = (errorClass: ErrorClass, code: ErrorCode, applied: Applied) => ({
    class: errorClass,
    code,
    status,
    applied,
    ...wait,
  });
  if (status === 429) return of('throttled', 'throttled', 'no');
  if (status === 408) return of('retryable', 'timeout', 'unknown');
  if (status === 401 || status === 403) return of('permanent', 'unauthorized', 'no');
  if (status === 404 || status === 410) return of('permanent', 'target_gone', 'no');
  if (status >= 400 && status < 500) return of('permanent', 'rejected', 'no');
  if (status === 503) return of('retryable', 'remote_unavailable', 'unknown');
  if (status === 504) return of('retryable', 'timeout', 'unknown');
  if (status >= 500 && status < 600) return of('retryable', 'remote_error', 'unknown');
  return of('unknown', 'unclassified', 'unknown');
}
