import type { PayloadIssue } from '@fairlane/sdk';

export { describeIssues, issuesOf } from '@fairlane/sdk/internal';

/** Every error the API answers with: its stable code, its HTTP status and what it means. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'A parameter of the request is wrong' },
  invalid_digest: { status: 400, title: 'The Content-Digest cannot be checked' },
  unauthenticated: { status: 401, title: 'A valid bearer token is needed' },
  forbidden: { status: 403, title: 'The role of the token may not do this' },
  account_forbidden: { status: 403, title: 'The token may not touch this account' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  unknown_job: { status: 404, title: 'No job of this name is declared' },
  job_not_found: { status: 404, title: 'No job has this id' },
  unknown_effect: { status: 404, title: 'The job has no effect of this name' },
  unknown_account: { status: 404, title: 'Nothing is known of this account' },
  unknown_queue: { status: 404, title: 'No queue of this name is declared' },
  endpoint_not_found: { status: 404, title: 'No webhook endpoint has this id' },
  operation_not_found: { status: 404, title: 'No operation has this id, or it ended long ago' },
  blob_not_found: { status: 404, title: 'No blob of this digest is stored' },
  method_not_allowed: { status: 405, title: 'The path does not take this method' },
  request_timeout: { status: 408, title: 'The body of the request did not arrive in time' },
  key_conflict: { status: 409, title: 'A job of this key exists with another payload' },
  endpoint_conflict: { status: 409, title: 'The id or the URL belongs to another webhook endpoint' },
  already_finished: { status: 409, title: 'The job has ended already' },
  not_active: { status: 409, title: 'The job does not run' },
  not_dead: { status: 409, title: 'The job is not a dead letter' },
  undeclared_queue: { status: 409, title: 'The queue of the job is not declared any more' },
  unresolved_effect: { status: 409, title: 'An effect of the job may have been applied: resolve it first' },
  nothing_unresolved: { status: 409, title: 'The effect waits for no word of a person' },
  idempotency_conflict: { status: 409, title: 'The Idempotency-Key belongs to another request' },
  payload_gone: { status: 410, title: 'The payload of the job is no longer stored' },
  payload_too_large: { status: 413, title: 'The payload is too large' },
  unsupported_encoding: { status: 415, title: 'The body must not be compressed' },
  digest_mismatch: { status: 422, title: 'The bytes are not those that were announced' },
  invalid_payload: { status: 422, title: 'The payload does not fit the job' },
  forbidden_target: { status: 422, title: 'Webhooks may not go to this URL' },
  too_many_endpoints: { status: 422, title: 'The account has as many webhook endpoints as it may' },
  invalid_limits: { status: 422, title: 'The settings cannot hold' },
  empty_filter: { status: 422, title: 'The filter is empty: all must be asked for' },
  queue_full: { status: 429, title: 'As many jobs wait as may: send it again later' },
  too_many_streams: { status: 429, title: 'As many streams of events are open as may be' },
  too_many_operations: { status: 429, title: 'As many bulk operations run as may' },
  too_many_attempts: { status: 429, title: 'Too many requests with a wrong token' },
  internal_error: { status: 500, title: 'The API failed' },
  no_blob_store: { status: 501, title: 'There is no blob store: set FAIRLANE_BLOB_STORE' },
  unavailable: { status: 503, title: 'The queue cannot be reached or cannot take more' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** One thing wrong with the input, told as of a payload. */
export type Issue = PayloadIssue;

export interface ProblemOptions {
  readonly detail?: string;
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the answer, such as the id of the job that holds the key. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Thrown by handlers; answered as `application/problem+json` (RFC 9457). */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEMS[code].title, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.options = options;
  }

  /** The body of the answer. */
  toJSON(): Record<string, unknown> {
    const { detail, issues, extra } = this.options;
    return {
      type: `/docs#${this.code}`,
      title: PROBLEMS[this.code].title,
      status: this.status,
      code: this.code,
      ...(detail === undefined ? {} : { detail }),
      ...(issues === undefined ? {} : { issues }),
      ...extra,
    };
  }
}

export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
