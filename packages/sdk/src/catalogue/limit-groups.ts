import { DefinitionError } from '../errors/errors.js';
import { isSimpleName } from '../contract/names.js';

/** Most limit groups of a catalogue: admission looks at each of them (R10). */
export const MAX_LIMIT_GROUPS = 32;

/** Token bucket and cap of one gate: `limit` tokens every `perMs` milliseconds. */
export interface Limits {
  readonly limit: number;
  readonly perMs: number;
  /** Most tokens at once. Default `limit`. */
  readonly burst?: number;
  /** Most jobs running at once. */
  readonly maxInFlight?: number;
}

/** An outside system that limits protect. */
export interface LimitGroup {
  /** Limits of every account that has none of its own; left out: unlimited. */
  readonly default?: Limits;
  /** Limits over all accounts together. */
  readonly total?: Limits;
}

/** The limit groups of a deployment by name. */
export type LimitGroups<G extends string = string> = Readonly<Record<G, LimitGroup>>;

/**
 * Declares the limit groups of a catalogue. The group `default` always exists.
 *
 * @throws DefinitionError for a bad name, more than 32 groups, or limits that admit nothing.
 * @example
 * defineLimitGroups({ email: { default: { limit: 30, perMs: 60_000, burst: 5 } } });
 */
export function defineLimitGroups<G extends string>(
  groups: Record<G, LimitGroup>,
): LimitGroups<G | 'default'> {
  const all = { default: {}, ...groups } as Record<G | 'default', LimitGroup>;
  const entries = Object.entries<LimitGroup>(all);
  if (entries.length > MAX_LIMIT_GROUPS) {
    throw new DefinitionError(
      `${entries.length} limit groups declared, at most ${MAX_LIMIT_GROUPS} are possible`,
    );
  }
  for (const [name, group] of entries) {
    if (!isSimpleName(name))
      throw new DefinitionError(`limit group ${JSON.stringify(name)} is not a valid name`);
    checkLimits(`limit group ${name}: default`, group.default);
    checkLimits(`limit group ${name}: total`, group.total);
  }
  return Object.freeze(all);
}

function checkLimits(what: string, limits: Limits | undefined): void {
  if (limits === undefined) return;
  for (const field of ['limit', 'perMs', 'burst', 'maxInFlight'] as const) {
    const value = limits[field];
    if (value === undefined && (field === 'burst' || field === 'maxInFlight')) continue;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
      throw new DefinitionError(`${what}.${field} must be a whole number from 1, not ${String(value)}`);
    }
  }
}
