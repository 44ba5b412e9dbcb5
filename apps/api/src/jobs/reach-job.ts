import type { JobView } from '@fairlane/queue';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call } from '../http/route.js';

/** For writes: the job as it is now, or a problem. */
export async function jobToChange({ app, principal }: Call, id: string): Promise<JobView> {
  const job = /^[\w-]{22}$/.test(id) ? await app.operations.job(id, principal.accounts) : undefined;
  if (principal.accounts !== undefined && !(job && mayTouch(principal, job.account))) {
    // The same for a foreign job and for none: which of the two it is, is not for this token to know.
    throw new Problem('account_forbidden');
  }
  if (!job) throw new Problem('job_not_found');
  return job;
}
