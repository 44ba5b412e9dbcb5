import { checkGroup } from './lane-options.js';
import { LaneError } from './errors.js';
import { checkLimits, type GroupLimits } from './limits.js';

export interface LaneBackendOptions {
  /**
   * The limit groups by name, at most 32, with the limits of accounts that have none of their own
   * and the total over all accounts. `default` is always declared.
   */
  groups?: Record<string, GroupLimits>;
  /** For tests: the time in ms that scripts decide by, instead of the Redis server's clock. */
  clock?: () => number;
}

export interface ResolvedOptions {
  readonly groups: Readonly<Record<string, GroupLimits>>;
  readonly groupNames: ReadonlySet<string>;
  readonly clock: (() => number) | undefined;
}

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
  return { groups, groupNames: names, clock: options.clock };
}
