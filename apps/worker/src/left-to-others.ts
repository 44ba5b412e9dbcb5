import type { QueueSlots } from '@fairlane/runtime';
import type { Catalogue, JobImplementation } from '@fairlane/sdk';

/**
 * Jobs of the queues that a worker serves, for which it has no handler, a variable being left out. Where no worker has
 * one they are `held` with `no_handler`, and the log is where a person looks for what is missing.
 */
export function jobsLeftToOthers(
  { jobs }: Pick<Catalogue, 'jobs'>,
  implementations: readonly JobImplementation[],
  queues: readonly Pick<QueueSlots, 'name'>[],
): string[] {
  const handled = new Set(implementations.map(({ contract }) => contract.name));
  const served = new Set(queues.map(({ name }) => name));
  return jobs
    .filter(({ name, queue }) => !handled.has(name) && (queue === undefined || served.has(queue)))
    .map(({ name }) => name);
}
