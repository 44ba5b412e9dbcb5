import { canOnlyEndDead, type SandboxReport } from '../sandbox/index.js';
import type { RunRecord } from './run-record.js';

interface Percentiles {
  p50: number | null;
  p99: number | null;
}

/** A figure that could not be measured is null, never 0. */
export interface Summary {
  jobs: number;
  accounts: number;
  workers: number;
  seed: number;
  accepted: number;
  duplicates: number;
  completed: number;
  dead: number;
  deadByCode: Record<string, number>;
  expectedDead: number;
  cancelled: number;
  lost: number;
  effects: { applied: number; repeated: number };
  limits: {
    violations: number | null;
    achievedFraction: number | null;
    deferredWithoutAttempt: number | null;
  };
  workersKilled: number;
  elapsedMs: number;
  jobsPerSecond: number;
  timeInQueueMs: Percentiles;
  processingMs: Percentiles;
  /** The half of the accounts that has the fewest jobs. */
  smallAccounts: { waitMs: Percentiles };
  largestAccount: { jobs: number; waitMs: Percentiles };
}

export interface SummaryInput {
  record: RunRecord;
  jobs: number;
  accounts: number;
  workers: number;
  seed: number;
  workersKilled: number;
  elapsedMs: number;
  /** Reports of the platform, which may have a history, from before and after the run. */
  before: SandboxReport;
  after: SandboxReport;
  /** Accounts that can neither take a key nor be asked. */
  blind: ReadonlySet<string>;
  /** Whether Fairlane was told the platform's limits. */
  limited: boolean;
}

export function summarize(input: SummaryInput): Summary {
  const { record, before, after, elapsedMs } = input;
  const finished = [...record.finished()];
  const inState = (state: string) => finished.filter((job) => job.state === state).length;
  const references = after.byReference ?? {};

  const deadByCode: Record<string, number> = {};
  for (const { deadCode } of finished) {
    if (deadCode !== undefined) deadByCode[deadCode] = (deadByCode[deadCode] ?? 0) + 1;
  }
  // Completed, yet the platform never saw it: as lost as one that never ended.
  const unseen = finished.filter((job) => job.state === 'completed' && !references[job.key]?.applied).length;

  const jobsOf = new Map<string, typeof finished>();
  for (const job of finished) {
    const jobs = jobsOf.get(job.account) ?? [];
    jobs.push(job);
    jobsOf.set(job.account, jobs);
  }
  const bySize = [...jobsOf.values()].toSorted((a, b) => b.length - a.length);
  const largest = bySize[0] ?? [];
  const smallerHalf = bySize.slice(Math.max(1, Math.ceil(bySize.length / 2)));
  const waits = (jobs: typeof finished) => percentiles(jobs.map((job) => job.waitMs));

  return {
    jobs: input.jobs,
    accounts: input.accounts,
    workers: input.workers,
    seed: input.seed,
    accepted: record.accepted,
    duplicates: record.duplicates,
    completed: inState('completed'),
    dead: inState('dead'),
    deadByCode,
    expectedDead: expectedDead(input, new Map(finished.map(({ key, account }) => [key, account]))),
    cancelled: inState('cancelled'),
    lost: record.openCount + record.missingCount + unseen,
    effects: { applied: after.applied - before.applied, repeated: after.repeated - before.repeated },
    limits: {
      violations: input.limited || after.violations > 0 ? after.violations - before.violations : null,
      achievedFraction: input.limited ? after.achievedFraction : null,
      deferredWithoutAttempt: input.limited ? record.deferredCount : null,
    },
    workersKilled: input.workersKilled,
    elapsedMs: Math.round(elapsedMs),
    jobsPerSecond: Number((finished.length / (elapsedMs / 1000)).toFixed(1)),
    timeInQueueMs: waits(finished),
    processingMs: percentiles(finished.map((job) => job.processingMs)),
    smallAccounts: { waitMs: waits(smallerHalf.flat()) },
    largestAccount: { jobs: largest.length, waitMs: waits(largest) },
  };
}

/**
 * The platform's own figure. Where it also knows references of earlier runs, what it has come to expect in this
 * one; and where jobs of earlier runs are among those of this run, what it expects of each.
 */
function expectedDead(
  { record, before, after, blind }: SummaryInput,
  own: ReadonlyMap<string, string>,
): number {
  const references = Object.entries(after.byReference ?? {});
  if (references.every(([reference]) => own.has(reference))) return after.expectedDead;
  if (record.duplicates === 0) return after.expectedDead - before.expectedDead;
  return references.filter(([reference, seen]) => {
    const account = own.get(reference);
    if (account === undefined) return false;
    return canOnlyEndDead({ ...seen, kind: blind.has(account) ? 'blind' : undefined });
  }).length;
}

/** Nearest rank. */
export function percentiles(values: readonly (number | undefined)[]): Percentiles {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  const at = (fraction: number) => sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? null;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Whether the run kept its promises. */
export function isGood(summary: Summary): boolean {
  const { lost, effects, limits, dead } = summary;
  return (
    lost === 0 && effects.repeated === 0 && (limits.violations ?? 0) === 0 && dead === summary.expectedDead
  );
}
