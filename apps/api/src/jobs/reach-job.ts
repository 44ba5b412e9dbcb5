import type { JobView } from '@fairlane/queue';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call } from '../http/route.js';

/** For reads: the job, or 404. One of a foreign account is as unknown as one that never was, and as fast. */
export async function findJob(call: Call, id: string): Promise<JobView> {
  const job = await ownJob(call, id);
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

async function ownJob({ app, principal }: Call, id: string): Promise<JobView | undefined> {
  const job = /^[\w-]{22}$/.test(id) ? await app.operations.job(id, principal.accounts) : undefined;
  return job && mayTouch(principal, job.account) ? job : undefined;
}
