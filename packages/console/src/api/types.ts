/** What the HTTP API answers, as far as the console reads it. Times are ISO 8601 in UTC, ages milliseconds. */

import type { Account, AccountList, Job } from './generated.js';

export type {
  Account,
  BulkReplayPreview,
  BulkReplayStarted,
  DeadLetter,
  DeadLetterCodes,
  Figures,
  Job,
  Limits,
  LimitsInput,
  Operation,
  Quantiles,
  Queue,
  QueueMinute,
  Window,
  Worker,
} from './generated.js';

export type JobState = Job['state'];
export type Effect = Job['effects'][number];
export type Gate = Account['gates'][number];
export type Lane = Account['lanes'][number];
export type AccountSummary = AccountList['items'][number];

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

/** An error of the API or of the board. */
export interface Problem {
  code: string;
  title?: string;
  detail?: string;
}
