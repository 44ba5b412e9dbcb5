import type { z } from 'zod';
import type { JobContract } from './contract.js';
import { DefinitionError, PayloadError } from './errors.js';
import type { LimitGroups } from './limit-groups.js';
import type { Queues } from './queues.js';

/** Everything producers, workers and boards know about the jobs of a deployment. */
export interface Catalogue {
  readonly jobs: readonly JobContract[];
  readonly queues: Queues;
  readonly limitGroups: LimitGroups;
  /** The contract of that name; safe for any text, `__proto__` included. */
  job(name: string): JobContract | undefined;
  /** The queue a job goes to: the contract's own, else the first routing rule that holds. */
  queueFor<N extends string, S extends z.ZodType>(contract: JobContract<N, S>, payload: z.output<S>): string;
}

/**
 * Puts contracts, queues and limit groups together and checks them against each other.
 *
 * @throws DefinitionError for two jobs of one name, an undeclared queue or limit group, or a job no rule routes.
 */
export function createCatalogue({
  jobs,
  queues,
  limitGroups,
}: {
  readonly jobs: readonly JobContract[];
  readonly queues: Queues;
  readonly limitGroups: LimitGroups;
}): Catalogue {
  const byName = new Map<string, JobContract>();
  for (const contract of jobs) {
    if (byName.has(contract.name)) throw new DefinitionError(`two jobs are named ${contract.name}`);
    byName.set(contract.name, contract);
    checkQueue(contract, queues);
  }
  return Object.freeze({
    jobs: Object.freeze([...jobs]),
    queues,
    limitGroups,
    job: (name: string) => byName.get(name),
    queueFor: <N extends string, S extends z.ZodType>(contract: JobContract<N, S>, payload: z.output<S>) =>
      contract.queue ?? route(contract, payload, queues),
  });
}

function checkQueue(contract: JobContract, queues: Queues): void {
  if (contract.queue !== undefined) {
    if (Object.hasOwn(queues.definitions, contract.queue)) return;
    throw new DefinitionError(`job ${contract.name}: its queue ${contract.queue} is not declared`);
  }
  if (queues.rules.at(-1)?.when === undefined && queues.rules.length > 0) return;
  throw new DefinitionError(
    `job ${contract.name}: it names no queue and no last routing rule takes every job; add { queue } as the last rule`,
  );
}

function route<N extends string, S extends z.ZodType>(
  contract: JobContract<N, S>,
  payload: z.output<S>,
  queues: Queues,
): string {
  const job = {
    name: contract.name,
    account: contract.account(payload),
    limitGroup: contract.limitGroup(payload),
    payload,
  };
  const rule = queues.rules.find(({ when }) => when === undefined || when(job));
  if (rule === undefined)
    throw new PayloadError(contract.name, [{ path: '', message: 'no routing rule takes the job' }]);
  return rule.queue;
}
