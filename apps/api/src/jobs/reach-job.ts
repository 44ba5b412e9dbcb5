import type { JobView } from '@fairlane/queue';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call } from '../http/route.js';

/** Ids that the product gives. */
const OWN_ID = /^[\w-]{22}$/;
/** Those that BullMQ gives to jobs of other producers: numbers, and UUIDs in flows. No other key of a queue ends so. */
const OTHERS_ID = /^(\d{1,19}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Whether another producer has put a job into its queue, past the rules: it can be looked at and not changed. */
export function isOfOtherProducer(id: string): boolean {
  return !OWN_ID.test(id);
}

/** For reads: the job, also one of another producer, or 404. One of a foreign account is as unknown as one that never was, and as fast. */
export async function findJob(call: Call, id: string, queue?: string): Promise<JobView> {
  const mayBe = OTHERS_ID.test(id) && isDeclared(call, queue);
  const job = await (mayBe ? readJob(call, id, queue) : ownJob(call, id));
  if (!job) throw new Problem('job_not_found');
  return job;
}

/** For writes: the job as it is now, or a problem. */
export async function jobToChange(call: Call, id: string): Promise<JobView> {
  const job = await ownJob(call, id);
  // The same for a foreign job and for none: which of the two it is, is not for this token to know.
  if (!job) throw new Problem(call.principal.accounts === undefined ? 'job_not_found' : 'account_forbidden');
  return job;
}

async function ownJob(call: Call, id: string): Promise<JobView | undefined> {
  return OWN_ID.test(id) ? readJob(call, id) : undefined;
}

async function readJob({ app, principal }: Call, id: string, queue?: string): Promise<JobView | undefined> {
  const { accounts } = principal;
  const job = await app.operations.job(id, { accounts, queue });
  return job && mayTouch(principal, job.account) ? job : undefined;
}

function isDeclared({ app }: Call, queue: string | undefined): boolean {
  return queue === undefined || Object.hasOwn(app.catalogue.queues.definitions, queue);
}
