import type { z } from 'zod';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import type { jobIdParams } from './schemas.js';

/** `POST /v1/jobs/{id}/cancel`. A job that runs hears it through its signal and settles soon. */
export async function cancelJob(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id } = params;
  const job = /^[\w-]{22}$/.test(id) ? await app.operations.job(id) : undefined;
  if (principal.accounts !== undefined && !(job && mayTouch(principal, job.account))) {
    // The same for a foreign job and for none: which of the two it is, is not for this token to know.
    throw new Problem('account_forbidden');
  }
  if (!job) throw new Problem('job_not_found');
  const status = await app.operations.cancel(id);
  if (status === 'not_found') throw new Problem('job_not_found');
  if (status === 'already_finished') throw new Problem('already_finished');
  const target = { id, account: job.account };
  app.audit({ principal, requestId, action: 'cancel_job', target, before: job.state, after: status });
  return { status: 200, body: { id, status } };
}
