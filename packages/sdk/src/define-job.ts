import type { z } from 'zod';
import {
  DEFAULT_RETRY_POLICY,
  type JobContract,
  type JobDefinition,
  type KeyPart,
  type RetryPolicy,
} from './contract.js';
import { DefinitionError } from './errors.js';
import { isJobName, isSimpleName } from './names.js';

/** BullMQ's highest priority number. */
const MAX_PRIORITY = 2_097_151;
/** Longest time a policy may name: delays beyond it are a unit mistake, not a plan. */
const MAX_POLICY_MS = 30 * 86_400_000;

/**
 * Defines a kind of job. The payload's type flows from the zod schema into every function and the handler.
 *
 * @throws DefinitionError naming the job and what is wrong with it.
 * @example
 * const invoicePrint = defineJob({
 *   name: 'invoice.print',
 *   payload: z.object({ accountId: z.string(), invoiceId: z.string() }),
 *   account: (p) => p.accountId,
 *   key: (p) => [p.invoiceId],
 * });
 */
export function defineJob<const N extends string, S extends z.ZodType>(
  definition: JobDefinition<N, S>,
): JobContract<N, S> {
  const { name, payload, account, key, limitGroup = 'default', tag, queue } = definition;
  if (!isJobName(name)) {
    throw new DefinitionError(
      `job name ${JSON.stringify(name)} is not of the form "area.action": lower-case words joined by dots, at most 64 characters`,
    );
  }
  const refuse = (reason: string): never => {
    throw new DefinitionError(`job ${name}: ${reason}`);
  };
  const version = definition.version ?? 1;
  if (!Number.isSafeInteger(version) || version < 1) refuse('version must be a whole number from 1');
  if (queue !== undefined && !isSimpleName(queue))
    refuse(`queue ${JSON.stringify(queue)} is not a queue name`);
  const toKey = (p: z.output<S>): readonly KeyPart[] => {
    const parts = key(p);
    return Array.isArray(parts) ? parts : [parts as KeyPart];
  };
  return Object.freeze({
    name,
    version,
    payload,
    account,
    key: toKey,
    limitGroup: typeof limitGroup === 'string' ? () => limitGroup : limitGroup,
    ...(queue === undefined ? {} : { queue }),
    ...(tag === undefined ? {} : { tag }),
    priority: definition.priority ?? 0,
    cost: definition.cost ?? 1,
    timeoutMs: definition.timeoutMs ?? 30_000,
    onConflict: definition.onConflict ?? 'reject',
    retry: Object.freeze({ ...DEFAULT_RETRY_POLICY, ...definition.retry }) satisfies RetryPolicy,
    upgrades: Object.freeze({ ...definition.upgrades }),
  });
}

export { MAX_POLICY_MS, MAX_PRIORITY };
