/** What the HTTP API answers, as far as the console reads it. Times are ISO 8601 in UTC, ages milliseconds. */

export const JOB_STATES = [
  'scheduled',
  'ready',
  'held',
  'active',
  'retrying',
  'completed',
  'dead',
  'cancelled',
] as const;
export type JobState = (typeof JOB_STATES)[number];
export type StateCounts = Record<JobState, number>;

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export interface Effect {
  name: string;
  state: string;
  externalId?: string;
  at: string;
}

export interface JobError {
  code: string;
  class: string;
  message: string;
  status?: number;
  at: string;
}

/** An attempt that failed or was put off. */
export interface Failure extends JobError {
  attempt: number;
  worker?: string;
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
  state: JobState;
  reason?: string;
  nextRunAt?: string;
  priority: number;
  attempts: { made: number; max: number };
  stalls: number;
  worker?: string;
  leaseExpiresAt?: string;
  lastError?: JobError;
  /** The latest first; of one job, not of those in a list. */
  failures?: Failure[];
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  progress?: unknown;
  result?: unknown;
  effects: Effect[];
}

export interface DeadLetter {
  id: string;
  name: string;
  queue: string;
  account: string;
  tag?: string;
  attempts: { made: number; max: number };
  code: string;
  reason: string;
  status?: number;
  finishedAt: string;
}

export interface Limits {
  limit: number | null;
  perMs: number | null;
  burst: number | null;
  maxInFlight: number | null;
}

export interface Gate {
  group: string;
  limits: Limits;
  tokens: number | null;
  inFlight: number;
  opensAt?: string;
  reason?: string;
}

export interface Lane {
  queue: string;
  group: string;
  ready: number;
  held: number;
  oldestEligibleAgeMs: number | null;
}

export interface Window {
  zone: string;
  days: number[];
  from: string;
  to: string;
}

export interface Account {
  account: string;
  weight: number;
  paused: { by: string; at: string } | null;
  windows: Window[] | null;
  counts: StateCounts;
  gates: Gate[];
  lanes: Lane[];
  nextRunAt: string | null;
  estimatedDrainAt: string | null;
  lastError: { jobId: string; message: string; at: string } | null;
  lastCompletedAt: string | null;
  explanation: string;
}

export interface AccountSummary {
  account: string;
  waiting: number;
  oldestEligibleAgeMs: number | null;
  oldestWaitingAgeMs: number;
}

export interface Percentiles {
  p50: number | null;
  p99: number | null;
}

/** What a version of the API does not measure yet is left out or null. */
export interface Queue {
  queue: string;
  counts: StateCounts;
  paused: boolean;
  oldestEligibleAgeMs: number | null;
  slots: { min: number; max: number };
  lastMinute?: Figures;
  lastHour?: Figures;
}

/** What happened in a queue over some time. */
export interface Figures {
  enqueued: number;
  completed: number;
  dead: number;
  cancelled: number;
  timeInQueueMs: Percentiles;
  processingMs: Percentiles;
}

export interface Problem {
  code: string;
  title?: string;
  detail?: string;
}
