import type { JobState } from '@fairlane/sdk';
import type { DeadCount } from '../count-dead-letters.js';
import type { DeadLetterFilter } from '../list-dead-letters.js';
import type { JobFilter } from '../list-jobs.js';
import type { AccountCount } from './account-tally.js';

/** Which dead letters an operation is about; all that is given must hold. Times are ms since the epoch. */
export type BulkFilter = Omit<DeadLetterFilter, 'limit' | 'cursor'>;

/** What of a filter there was to replay at a moment. A replay goes on behind what was counted, and counts that too. */
export interface BulkMatch extends DeadCount {
  /** Left out: effects of theirs wait for a person's word. */
  readonly unresolved: number;
  /** What dies after it stays out, ms since the epoch on the server's clock. */
  readonly until: number;
}

/** What a dry run tells. */
export interface BulkPreview extends BulkMatch {
  /** Of the matched, by account: those with most, the most first, 20 at most. */
  readonly byAccount: readonly AccountCount[];
}

/** Which jobs to cancel; all that is given must hold. Times are ms since the epoch. */
export interface CancelFilter extends Omit<JobFilter, 'limit' | 'cursor'> {
  /** Jobs of these accounts only, whatever else is given. */
  readonly accounts?: readonly string[];
  /** Created at this time or earlier. */
  readonly until?: number;
}

/** What of a filter had not ended at a moment. */
export interface CancelMatch {
  readonly matched: number;
  /** Of these, by their state. */
  readonly byState: Readonly<Partial<Record<JobState, number>>>;
  /** What is created after it stays out, ms since the epoch on the server's clock. */
  readonly until: number;
}

/** A long change of many jobs. It goes on in another process when the one that works on it is gone. */
interface Operation {
  readonly id: string;
  readonly state: 'running' | 'done' | 'cancelled';
  /** Not changed, since Redis refused it. */
  readonly failed: number;
  readonly by: string;
  /** ISO time. */
  readonly createdAt: string;
}

export interface BulkReplay extends Operation, Omit<BulkMatch, 'complete'> {
  readonly kind: 'replay';
  /** Replayed so far. What others have replayed or purged meanwhile is in neither number. */
  readonly done: number;
  readonly perSecond: number;
}

export interface BulkCancel extends Operation, CancelMatch {
  readonly kind: 'cancel';
  /** Cancelled so far, running ones asked to end included. */
  readonly done: number;
  /** Of the matched, those that had ended or left the state that was asked for when their turn came; told at the end. */
  readonly skipped?: number;
}

export type BulkOperation = BulkReplay | BulkCancel;

/** Who asks for an operation. */
interface Asked {
  readonly by: string;
  /** Of `by`: the same request again is the same operation. */
  readonly idempotencyKey?: string | undefined;
}

export interface BulkReplayRequest extends Asked {
  readonly filter: BulkFilter;
  /** 1 to 1,000. */
  readonly perSecond: number;
}

export interface BulkCancelRequest extends Asked {
  readonly filter: CancelFilter;
}

export type BulkOutcome<O extends BulkOperation> =
  | { readonly outcome: 'started' | 'repeated'; readonly operation: O }
  /** The idempotency key stands for another request. */
  | { readonly outcome: 'conflict' }
  /** As many operations run as may. */
  | { readonly outcome: 'too_many' };

export type BulkReplayOutcome = BulkOutcome<BulkReplay>;
export type BulkCancelOutcome = BulkOutcome<BulkCancel>;

/** An operation to be registered. */
export interface NewOperation extends Asked {
  readonly kind: BulkOperation['kind'];
  /** Which jobs, as its runners read it. */
  readonly filter: BulkFilter | CancelFilter;
  readonly perSecond: number;
  /** What was there when it was asked for. */
  readonly match: BulkMatch | CancelMatch;
}

interface Leased {
  readonly id: string;
  readonly fence: number;
  readonly perSecond: number;
  readonly cursor: string | undefined;
}

export interface LeasedReplay extends Leased {
  readonly kind: 'replay';
  readonly filter: BulkFilter;
}

export interface LeasedCancel extends Leased {
  readonly kind: 'cancel';
  readonly filter: CancelFilter;
}

/** What a runner works with. */
export type LeasedOperation = LeasedReplay | LeasedCancel;
