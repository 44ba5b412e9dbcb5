import type { z } from 'zod';
import { DEFAULT_RETRY_POLICY, type JobContract, type JobDefinition, type KeyPart } from './contract.js';
import { checkContract } from './definition-checks.js';

/**
 * Defines a kind of job. The payload's type flows from the zod schema into every function and the handler.
 *
 * Account, key and limit group are tried on a sample made from the schema, which takes about 2 ms.
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
  const { name, payload, account, key, limitGroup = 'default', queue, tag, sources } = definition;
  const contract: JobContract<N, S> = Object.freeze({
    name,
    version: definition.version ?? 1,
    payload,
    account,
    key: (p: z.output<S>) => {
      const parts = key(p);
      return isList(parts) ? parts : [parts];
    },
    limitGroup: typeof limitGroup === 'string' ? () => limitGroup : limitGroup,
    ...(queue === undefined ? {} : { queue }),
    ...(tag === undefined ? {} : { tag }),
    ...(sources === undefined ? {} : { sources }),
    priority: definition.priority ?? 0,
    cost: definition.cost ?? 1,
    timeoutMs: definition.timeoutMs ?? 30_000,
    onConflict: definition.onConflict ?? 'reject',
    retry: Object.freeze({ ...DEFAULT_RETRY_POLICY, ...definition.retry }),
    upgrades: Object.freeze({ ...definition.upgrades }),
  });
  checkContract(contract);
  return contract;
}

/** `Array.isArray` does not narrow a readonly array away from a union. */
function isList(key: KeyPart | readonly KeyPart[]): key is readonly KeyPart[] {
  return Array.isArray(key);
}
