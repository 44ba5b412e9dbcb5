import { checkGroup } from '../settings/lane-options.js';
import { LaneError } from '../errors.js';
import type { AuditReport, FinishedState, Retention } from '../lanes.js';
import { checkLimits, type GroupLimits } from '../settings/limits.js';

/** The same for every process of a prefix, but for `upkeep`. */
export interface LaneBackendOptions {
  /**
   * The limit groups by name, at most 32, with the limits of accounts that have none of their own
   * and the total over all accounts. `default` is always declared.
   */
  groups?: Record<string, GroupLimits>;
  /** Finished jobs are removed past this, with their indexes. Without it BullMQ's options decide. */
  retention?: Partial<Record<FinishedState, Retention>>;
  /** Hears the ids of jobs that retention is about to remove; they stay when it fails. */
  onTrim?: (queue: string, ids: string[], state: FinishedState) => unknown;
  /** Hears what the audit has repaired. */
  onRepair?: (queue: string, report: AuditReport) => unknown;
  /** How long the claim of a job that is gone outlives its lease, ms. Default: 30,000. */
  graceMs?: number;
  /** False: this process leaves audit, retention, windows and the watch for plain workers to others. Default: true. */
  upkeep?: boolean;
  /** For tests: the time in ms that scripts decide by, instead of the Redis server's clock. */
  clock?: () => number;
}

export interface ResolvedOptions {
  readonly groups: Readonly<Record<string, GroupLimits>>;
  readonly groupNames: ReadonlySet<string>;
  readonly retention: LaneBackendOptions['retention'];
  readonly onTrim: LaneBackendOptions['onTrim'];
  readonly onRepair: LaneBackendOptions['onRepair'];
  readonly graceMs: number;
  readonly upkeep: boolean;
  readonly clock: (() => number) | undefined;
}

const DEFAULT_GRACE_MS = 30_000;

const MAX_GROUPS = 32;

export function resolveOptions(options: LaneBackendOptions): ResolvedOptions {
  const groups = options.groups ?? {};
  const names = new Set(['default', ...Object.keys(groups).map(checkGroup)]);
  if (names.size > MAX_GROUPS) {
    throw new LaneError(
      'undeclared_group',
      `${names.size} groups are declared; at most ${MAX_GROUPS} are allowed.`,
    );
  }
  for (const { default: limits, total } of Object.values(groups)) {
    if (limits) {
      checkLimits(limits);
    }
    if (total) {
      checkLimits(total);
    }
  }
  return {
    groups,
    groupNames: names,
    retention: options.retention,
    onTrim: options.onTrim,
    onRepair: options.onRepair,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    upkeep: options.upkeep ?? true,
    clock: options.clock,
  };
}
