import { HELD_REASONS, type HeldReason, type JobInfo, type JobState } from '@fairlane/sdk';
import { readErrorRecords, type ErrorRecord } from '../jobs/error-record.js';
import { isEnvelope, parseJobData } from '../jobs/envelope.js';
import { readOptions } from '../jobs/job-options.js';
import { isClaimCheck } from '../payloads/claim-check.js';

/** A job as people and products see it. Times are ISO strings. */
export interface JobView extends JobInfo {
  readonly state: JobState;
  readonly reason?: HeldReason;
  readonly nextRunAt?: string;
  readonly priority: number;
  /** Attempts that ended, throttled ones not counted. */
  readonly attempts: { readonly made: number; readonly max: number };
  /** How often a worker was lost in the middle of the job. */
  readonly stalls: number;
  readonly worker?: string;
  readonly leaseExpiresAt?: string;
  readonly lastError?: Omit<ErrorRecord, 'attempt' | 'worker'>;
  /** Attempts that failed or were put off, the latest first; of many the latest ten. Left out where there are none. */
  readonly failures?: readonly ErrorRecord[];
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly effects: readonly EffectSummary[];
}

/** What the ledger knows of one effect of a job. */
export interface EffectSummary {
  readonly name: string;
  readonly state: string;
  readonly externalId?: string;
  readonly at: string;
}

/** What `inspect.lua` found. */
export interface InspectedJob {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly nowMs: number;
  readonly heldReason: string | undefined;
  /** When it can run, where that is known. */
  readonly nextRunAtMs: number | undefined;
  /** Left of the lock; negative where there is none. */
  readonly leaseMs: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** Pure, and safe for hashes with missing or broken fields (A23). */
export function toJobView(job: InspectedJob, effects: readonly EffectSummary[] = []): JobView {
  const { id, queue, state, fields } = job;
  const { key, attempts } = readOptions(parseJobData(fields.get('opts') ?? '')?.value);
  const lane = readLane(fields.get('ln'));
  const data = parseJobData(fields.get('data') ?? '')?.value;
  const failures = readErrorRecords(fields.get('flErrors')).toReversed();
  const [lastError] = failures;
  const ended = state === 'completed' || state === 'dead' || state === 'cancelled';
  return {
    id,
    key,
    name: fields.get('name') ?? '',
    version: isEnvelope(data) || isClaimCheck(data) ? data.v : 0,
    queue,
    account: lane.account,
    limitGroup: lane.group,
    ...optional('tag', fields.get('tg')),
    state,
    ...optional<'reason', HeldReason>(
      'reason',
      HELD_REASONS.find((reason) => reason === job.heldReason),
    ),
    ...optional('nextRunAt', isoTime(job.nextRunAtMs)),
    priority: count(fields, 'priority'),
    attempts: { made: count(fields, 'atm'), max: attempts },
    stalls: count(fields, 'stc'),
    ...optional('worker', state === 'active' ? fields.get('pb') : undefined),
    ...optional('leaseExpiresAt', job.leaseMs > 0 ? isoTime(job.nowMs + job.leaseMs) : undefined),
    ...optional('lastError', lastError && withoutAttempt(lastError)),
    ...optional('failures', failures.length > 0 ? failures : undefined),
    createdAt: isoTime(count(fields, 'timestamp')) ?? new Date(0).toISOString(),
    ...optional('startedAt', isoTime(count(fields, 'processedOn') || undefined)),
    ...optional('finishedAt', ended ? isoTime(count(fields, 'finishedOn')) : undefined),
    ...optional('progress', parseJobData(fields.get('progress') ?? '')?.value),
    ...optional(
      'result',
      state === 'completed' ? parseJobData(fields.get('returnvalue') ?? '')?.value : undefined,
    ),
    effects,
  };
}

/** The lanes keep a job's lane as `<group>:<account>`; without it the job is in the shared one. */
export function readLane(lane = 'default:'): { group: string; account: string } {
  const colon = lane.indexOf(':');
  return { group: lane.slice(0, colon), account: lane.slice(colon + 1) };
}

function withoutAttempt({
  attempt: _attempt,
  worker: _worker,
  ...shown
}: ErrorRecord): NonNullable<JobView['lastError']> {
  return shown;
}

function count(fields: ReadonlyMap<string, string>, name: string): number {
  const value = Number(fields.get(name));
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function isoTime(ms: number | undefined): string | undefined {
  if (ms === undefined || !(Math.abs(ms) <= 8.64e15)) return undefined;
  return new Date(ms).toISOString();
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}
