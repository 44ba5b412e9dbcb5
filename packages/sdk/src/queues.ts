import { DefinitionError } from './errors.js';
import { isSimpleName } from './names.js';

/** Most jobs one worker runs at once, per queue. */
export const MAX_SLOTS = 1_000;

/** How many jobs of a queue one worker runs at once. */
export interface Slots {
  readonly min: number;
  readonly max: number;
}

export interface QueueDefinition {
  /** A number stands for `{ min: n, max: n }`. */
  readonly slots: number | Slots;
  /** Share of a worker's free slots against other queues. Default 1. */
  readonly weight?: number;
}

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

export interface Queues<Q extends string = string> {
  readonly definitions: Readonly<Record<Q, { readonly slots: Slots; readonly weight: number }>>;
  readonly rules: readonly RoutingRule<Q>[];
}

/**
 * Declares the queues of a catalogue and how jobs without a queue of their own are routed.
 *
 * @throws DefinitionError for a bad name, bad slots or a rule that names an undeclared queue.
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
    return [name, { slots: readSlots(name, queue.slots), weight: readWeight(name, queue.weight) }] as const;
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
