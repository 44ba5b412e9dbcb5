import type { DeadCount } from '../count-dead-letters.js';
import type { DeadLetterFilter } from '../list-dead-letters.js';

/** Which dead letters an operation is about; all that is given must hold. Times are ms since the epoch. */
export type BulkFilter = Omit<DeadLetterFilter, 'limit' | 'cursor'>;

/** What of a filter there was to replay at a moment. A replay goes on behind what was counted, and counts that too. */
export interface BulkMatch extends DeadCount {
  /** Left out: effects of theirs wait for a person's word. */
  readonly unresolved: number;
  /** What dies after it stays out, ms since the epoch on the server's clock. */
  readonly until: number;
}

/** A long change of many jobs. It goes on in another process when the one that works on it is gone. */
export interface BulkOperation extends Omit<BulkMatch, 'complete'> {
  readonly id: string;
  readonly kind: 'replay';
  readonly state: 'running' | 'done' | 'cancelled';
  /** Replayed so far. What others have replayed or purged meanwhile is in neither number. */
  readonly done: number;
  /** Dead still, since Redis refused the replay. */
  readonly failed: number;
  readonly perSecond: number;
  readonly by: string;
  /** ISO time. */
  readonly createdAt: string;
}

export interface BulkReplayRequest {
  readonly filter: BulkFilter;
  /** 1 to 1,000. */
  readonly perSecond: number;
  /** Who asks. */
  readonly by: string;
  /** Of `by`: the same request again is the same operation. */
  readonly idempotencyKey?: string | undefined;
}

export type BulkReplayOutcome =
  | { readonly outcome: 'started' | 'repeated'; readonly operation: BulkOperation }
  /** The idempotency key stands for another request. */
  | { readonly outcome: 'conflict' }
  /** As many operations run as may. */
  | { readonly outcome: 'too_many' };

/** What a runner works with. */
export interface LeasedOperation {
  readonly id: string;
  readonly fence: number;
  readonly filter: BulkFilter;
  readonly perSecond: number;
  readonly cursor: string | undefined;
}
