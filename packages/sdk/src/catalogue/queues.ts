import { DefinitionError } from '../errors/errors.js';
import { isSimpleName } from '../contract/names.js';

/** Most jobs one worker runs at once, per queue. */
export const MAX_SLOTS = 1_000;

/** How many jobs of a queue one worker runs at once. */
export interface Slots {
  readonly min: number;
  readonly max: number;
}

/** What a deployment declares of one queue. */
export interface QueueDefinition {
  /** A number stands for `{ min: n, max: n }`. */
  readonly slots: number | Slots;
  /** Share of a worker's free slots against other queues. Default 1. */
  readonly weight?: number;
  /**
   * Most jobs that may wait in the queue, whatever for: their turn, a limit, their time, a retry. While it is full,
   * new jobs are refused with `queue_full`. Default 1,000,000: about a gigabyte of Redis.
   */
  readonly maxWaiting?: number;
  /** The same for the jobs of one account. Default half of `maxWaiting`, so that no account can shut out the others. */
  readonly maxWaitingPerAccount?: number;
}

/** How many jobs may wait in a queue. */
export interface WaitingBounds {
  readonly maxWaiting: number;
  readonly maxWaitingPerAccount: number;
}

/** Where a queue does not say how many of its jobs may wait. */
export const DEFAULT_MAX_WAITING = 1_000_000;

/** What a routing rule decides on. */
export interface RoutedJob {
  readonly name: string;
  readonly account: string;
  readonly limitGroup: string;
  readonly payload: unknown;
}

/** The first rule whose predicate holds decides; a rule without one always holds and must be the last. */
export interface RoutingRule<Q extends string = string> {
  readonly when?: (job: RoutedJob) => boolean;
  readonly queue: Q;
}

/** Declared queues and the rules that route jobs without a queue of their own. */
export interface Queues<Q extends string = string> {
  readonly definitions: Readonly<
    Record<Q, { readonly slots: Slots; readonly weight: number } & WaitingBounds>
  >;
  readonly rules: readonly RoutingRule<Q>[];
}

/**
 * Declares the queues of a catalogue and how jobs without a queue of their own are routed.
 *
 * @throws DefinitionError for a bad name, bad slots, bad bounds or a rule that names an undeclared queue.
 * @example
 * defineQueues({ fast: { slots: 10 }, bulk: { slots: { min: 1, max: 3 } } }, { rules: [{ queue: 'bulk' }] });
 */
export function defineQueues<Q extends string>(
  queues: Record<Q, QueueDefinition>,
  { rules = [] }: { rules?: readonly RoutingRule<NoInfer<Q>>[] } = {},
): Queues<Q> {
  const entries = Object.entries<QueueDefinition>(queues);
  if (entries.length === 0) throw new DefinitionError('no queues declared');
  const definitions = entries.map(([name, queue]) => {
    if (!isSimpleName(name)) throw new DefinitionError(`queue ${JSON.stringify(name)} is not a valid name`);
    const slots = readSlots(name, queue.slots);
    const weight = readWeight(name, queue.weight);
    return [name, { slots, weight, ...readBounds(name, queue) }] as const;
  });
  for (const [index, rule] of rules.entries()) {
    if (!Object.hasOwn(queues, rule.queue)) {
      throw new DefinitionError(
        `routing rule ${index + 1} names the queue ${rule.queue}, which is not declared`,
      );
    }
    if (rule.when === undefined && index < rules.length - 1) {
      throw new DefinitionError(
        `routing rule ${index + 1} always holds, so the rules after it are never reached`,
      );
    }
  }
  return Object.freeze({
    definitions: Object.freeze(Object.fromEntries(definitions)) as Queues<Q>['definitions'],
    rules: Object.freeze([...rules]),
  });
}

function readSlots(name: string, slots: number | Slots): Slots {
  const { min, max } = typeof slots === 'number' ? { min: slots, max: slots } : slots;
  const whole = Number.isSafeInteger(min) && Number.isSafeInteger(max);
  if (!whole || min < 1 || max < min || max > MAX_SLOTS) {
    throw new DefinitionError(
      `queue ${name}: slots must be whole numbers with 1 <= min <= max <= ${MAX_SLOTS}`,
    );
  }
  return Object.freeze({ min, max });
}

function readWeight(name: string, weight = 1): number {
  if (!Number.isFinite(weight) || weight <= 0)
    throw new DefinitionError(`queue ${name}: weight must be above 0`);
  return weight;
}

function readBounds(
  name: string,
  { maxWaiting = DEFAULT_MAX_WAITING, ...given }: QueueDefinition,
): WaitingBounds {
  const { maxWaitingPerAccount = Math.ceil(maxWaiting / 2) } = given;
  for (const [bound, value] of Object.entries({ maxWaiting, maxWaitingPerAccount })) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new DefinitionError(`queue ${name}: ${bound} must be a whole number of at least 1`);
  }
  if (maxWaitingPerAccount > maxWaiting) {
    throw new DefinitionError(
      `queue ${name}: maxWaitingPerAccount is above maxWaiting (${maxWaiting}), so it would never be reached`,
    );
  }
  return { maxWaiting, maxWaitingPerAccount };
}
