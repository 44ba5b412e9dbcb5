import type { z } from 'zod';
import type { JobContract } from '../contract/contract.js';
import { DefinitionError, PayloadError } from '../errors/errors.js';
import type { LimitGroups } from './limit-groups.js';
import { payloadSchema } from '../schema/payload-schema.js';
import type { Queues } from './queues.js';
import { SAMPLE_TEXT, samplePayloads } from '../schema/sample-payload.js';

/** Everything producers, workers and boards know about the jobs of a deployment. */
export interface Catalogue {
  readonly jobs: readonly JobContract[];
  readonly queues: Queues;
  readonly limitGroups: LimitGroups;
  /** The contract of that name; safe for any text, `__proto__` included. */
  job(name: string): JobContract | undefined;
  /**
   * The queue a job goes to: the contract's own, else the first routing rule that holds.
   *
   * @throws PayloadError when the payload's limit group is not declared.
   */
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
    checkLimitGroups(contract, limitGroups);
  }
  return Object.freeze({
    jobs: Object.freeze([...jobs]),
    queues,
    limitGroups,
    job: (name: string) => byName.get(name),
    queueFor: <N extends string, S extends z.ZodType>(contract: JobContract<N, S>, payload: z.output<S>) => {
      const group = contract.limitGroup(payload);
      if (Object.hasOwn(limitGroups, group)) return contract.queue ?? route(contract, payload, queues);
      throw new PayloadError(contract.name, [{ path: '', message: `limit group ${group} is not declared` }]);
    },
  });
}

/** Every group that a sample of the payload names must exist; a group no sample names is found by `queueFor`. */
function checkLimitGroups(contract: JobContract, limitGroups: LimitGroups): void {
  for (const sample of samplePayloads(payloadSchema(contract.payload))) {
    let group: string;
    try {
      group = contract.limitGroup(sample);
    } catch {
      continue;
    }
    // Free text of the payload: what it will name cannot be known here.
    if (typeof group === 'string' && group.startsWith(SAMPLE_TEXT)) continue;
    if (!Object.hasOwn(limitGroups, group)) {
      throw new DefinitionError(
        `job ${contract.name}: its limit group ${JSON.stringify(group)} is not declared`,
      );
    }
  }
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
