import { workload } from '../workload.js';
import { limitAccounts, ONE_AN_HOUR } from './limits.js';
import type { Run } from './run.js';

export interface HeldJobs {
  readonly jobs: number;
  readonly accounts: number;
  /** A gate is shared by all queues: accounts that were held in another one can spend nothing here. */
  readonly prefix?: string;
}

/**
 * Adds jobs and closes their gates the way gates close in life: every account has spent its tokens. The one
 * job an account may run is worked off here, so all that remains is held.
 */
export async function loadHeldJobs(
  run: Run,
  queueName: string,
  { jobs, accounts, prefix = 'held' }: HeldJobs,
): Promise<void> {
  const queue = await run.openQueue('lanes', queueName);
  await limitAccounts(queue, { accounts, prefix, limits: ONE_AN_HOUR });
  await queue.load(workload({ jobs: jobs + accounts, accounts, prefix }));
  const child = await run.start('drain', {
    adapter: 'lanes',
    concurrency: 10,
    warmUp: { queue: queueName, jobs: 0 },
    measured: { queue: queueName, jobs: accounts },
  });
  child.send('go');
  await child.result;
  await child.end();
}
