/**
 * Generated from the API's OpenAPI document; a test compares. After a change of the API's schemas:
 * npx vitest run apps/board/test/console-types.test.ts -u
 */

export interface Account {
  account: string;
  weight: number;
  /**
   * Who paused it and when
   */
  paused: {
    by: string;
    at: string;
  } | null;
  windows: Window[] | null;
  counts: StateCounts;
  gates: {
    group: string;
    limits: Limits;
    tokens: number | null;
    inFlight: number;
    opensAt?: string;
    reason?:
      | 'rate_limit'
      | 'in_flight'
      | 'window'
      | 'paused'
      | 'throttled'
      | 'group_total'
      | 'queue_paused'
      | 'no_handler';
  }[];
  lanes: {
    queue: string;
    group: string;
    ready: number;
    held: number;
    oldestEligibleAgeMs: number | null;
  }[];
  nextRunAt: string | null;
  /**
   * null where it cannot be known
   */
  estimatedDrainAt: string | null;
  lastError: {
    jobId: string;
    message: string;
    at: string;
  } | null;
  lastCompletedAt: string | null;
  /**
   * Why nothing is sent, in one plain sentence
   */
  explanation: string;
}
export interface Window {
  /**
   * IANA time zone, such as Europe/Paris
   */
  zone: string;
  /**
   * 1 Monday to 7 Sunday
   *
   * @minItems 1
   * @maxItems 7
   */
  days: number[];
  from: string;
  to: string;
}
export interface StateCounts {
  scheduled: number;
  ready: number;
  held: number;
  active: number;
  retrying: number;
  completed: number;
  dead: number;
  cancelled: number;
}
export interface Limits {
  limit: number | null;
  perMs: number | null;
  burst: number | null;
  maxInFlight: number | null;
}
export interface AccountList {
  items: {
    account: string;
    /**
     * Jobs in its lanes
     */
    waiting: number;
    ready: number;
    /**
     * Kept by a gate, or put off by a worker that has no handler for them
     */
    held: number;
    active: number;
    dead: number;
    oldestEligibleAgeMs: number | null;
    oldestWaitingAgeMs: number;
    /**
     * When the next delayed job is due or the next gate may open
     */
    nextRunAt: string | null;
    /**
     * As in the view of the account
     */
    explanation: string;
  }[];
  /**
   * For the next page; null at the end
   */
  cursor: string | null;
}
export interface BulkReplayPreview {
  matched: number;
  /**
   * Of the matched, by the code they died with
   */
  byCode: {
    [k: string]: number;
  };
  /**
   * Left out: an effect of theirs waits for the word of a person
   */
  unresolved: number;
  /**
   * What dies later stays out
   */
  until: string;
  /**
   * Of the matched: the accounts with most of them, 20 at most
   */
  byAccount: {
    account: string;
    matched: number;
  }[];
  /**
   * False where there were more than one count looks at (500,000): then there are at least so many
   */
  complete: boolean;
}
export interface BulkReplayStarted {
  operation: string;
  matched: number;
  /**
   * Of the matched, by the code they died with
   */
  byCode: {
    [k: string]: number;
  };
  /**
   * Left out: an effect of theirs waits for the word of a person
   */
  unresolved: number;
  /**
   * What dies later stays out
   */
  until: string;
}
export interface DeadLetter {
  id: string;
  key: string;
  name: string;
  queue: string;
  account: string;
  limitGroup: string;
  tag?: string;
  attempts: {
    made: number;
    max: number;
  };
  createdAt: string;
  /**
   * Another producer has put it into the queue: it can be looked at, not changed
   */
  readOnly?: true;
  code: string;
  reason: string;
  /**
   * HTTP status of the outside
   */
  status?: number;
  finishedAt: string;
}
export interface DeadLetterCodes {
  matched: number;
  /**
   * Of the matched, by the code they died with
   */
  byCode: {
    [k: string]: number;
  };
  /**
   * False where there were more than one count looks at (500,000): then there are at least so many
   */
  complete: boolean;
}
export interface DeadLetterList {
  items: DeadLetter[];
  /**
   * For the next page; null at the end
   */
  cursor: string | null;
}
export interface Figures {
  enqueued: number;
  /**
   * Attempts
   */
  started: number;
  completed: number;
  dead: number;
  cancelled: number;
  enqueuedPerSecond: number;
  /**
   * Jobs that reached any end
   */
  finishedPerSecond: number;
  /**
   * Share of attempts that failed, from 0 to 1, throttled ones left out; null without any
   */
  errorRate: number | null;
  timeInQueueMs: Quantiles;
  processingMs: Quantiles;
}
export interface Quantiles {
  p50: number | null;
  p99: number | null;
}
export interface Job {
  id: string;
  key: string;
  name: string;
  version: number;
  queue: string;
  account: string;
  limitGroup: string;
  tag?: string;
  state: 'scheduled' | 'ready' | 'held' | 'active' | 'retrying' | 'completed' | 'dead' | 'cancelled';
  reason?:
    | 'rate_limit'
    | 'in_flight'
    | 'window'
    | 'paused'
    | 'throttled'
    | 'group_total'
    | 'queue_paused'
    | 'no_handler';
  nextRunAt?: string;
  priority: number;
  attempts: {
    made: number;
    max: number;
  };
  stalls: number;
  worker?: string;
  leaseExpiresAt?: string;
  lastError?: {
    code: string;
    class: string;
    message: string;
    status?: number;
    at: string;
  };
  /**
   * Attempts that failed or were put off, the latest first, ten at most. Left out where there are none, and in lists
   */
  failures?: {
    /**
     * Counted from 1; one that was put off is counted again
     */
    attempt: number;
    code: string;
    class: string;
    message: string;
    status?: number;
    at: string;
    worker?: string;
  }[];
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  progress?: unknown;
  result?: unknown;
  /**
   * Another producer has put it into the queue: it can be looked at, not changed
   */
  readOnly?: true;
  effects: {
    name: string;
    state: string;
    externalId?: string;
    at: string;
  }[];
}
export interface JobList {
  items: Job[];
  /**
   * For the next page; null at the end
   */
  cursor: string | null;
}
export interface LimitsInput {
  /**
   * Tokens that come back in `perMs`
   */
  limit?: number;
  perMs?: number;
  /**
   * Tokens of an idle account; `limit` when left out
   */
  burst?: number;
  /**
   * Jobs that run at once
   */
  maxInFlight?: number;
}
export interface Operation {
  id: string;
  kind: 'replay' | 'cancel';
  state: 'running' | 'done' | 'cancelled';
  matched: number;
  /**
   * Replayed, or cancelled (running jobs end soon after); what others have done meanwhile is not in it
   */
  done: number;
  failed: number;
  /**
   * Of a cancel that is done: matched, but ended or in another state when their turn had come
   */
  skipped?: number;
  by: string;
  createdAt: string;
}
export interface OperationList {
  items: Operation[];
  cursor: null;
}
export interface Queue {
  queue: string;
  counts: StateCounts;
  paused: boolean;
  /**
   * Since when the oldest job that could run now could have run; null when none could
   */
  oldestEligibleAgeMs: number | null;
  /**
   * Jobs that one worker runs at once
   */
  slots: {
    min: number;
    max: number;
  };
  lastMinute: Figures;
  lastHour: Figures;
}
export interface QueueList {
  items: Queue[];
  cursor: null;
}
export interface QueueMinute {
  /**
   * When the minute began
   */
  at: string;
  enqueued: number;
  /**
   * Attempts
   */
  started: number;
  completed: number;
  dead: number;
  cancelled: number;
  enqueuedPerSecond: number;
  /**
   * Jobs that reached any end
   */
  finishedPerSecond: number;
  /**
   * Share of attempts that failed, from 0 to 1, throttled ones left out; null without any
   */
  errorRate: number | null;
  timeInQueueMs: Quantiles;
  processingMs: Quantiles;
  /**
   * At the last look in that minute; null when nobody looked
   */
  ready: number | null;
  held: number | null;
  active: number | null;
  /**
   * Since when the oldest job that could run now could have run; null when none could
   */
  oldestEligibleAgeMs: number | null;
}
export interface QueueSeries {
  queue: string;
  items: QueueMinute[];
  cursor: null;
}
export interface Worker {
  /**
   * Also the `worker` of the jobs it runs
   */
  id: string;
  host: string;
  pid: number;
  /**
   * `hung`: it is connected but has not beaten three times, or a queue with free slots is not asked for work; `lost`: not even connected
   */
  status: 'busy' | 'idle' | 'draining' | 'hung' | 'lost';
  queues: string[];
  /**
   * Jobs it runs at once just now, over all its queues
   */
  slots: number;
  busy: number;
  lastBeat: string;
  /**
   * Longest time the event loop was blocked before that beat
   */
  eventLoopLagMs: number;
  /**
   * What runs, 50 at most
   */
  jobs: {
    id: string;
    name: string;
    queue: string;
  }[];
  /**
   * Newest version of each job that it can run
   */
  handles: {
    [k: string]: number;
  };
}
export interface WorkerList {
  items: Worker[];
  cursor: null;
}
