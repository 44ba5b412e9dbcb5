import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { jobToChange } from './reach-job.js';
import type { jobIdParams } from './schemas.js';

/** `POST /v1/jobs/{id}/cancel`. A job that runs hears it through its signal and settles soon. */
export async function cancelJob(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id } = params;
  const job = await jobToChange(call, id);
  const status = await app.operations.cancel(id);
  if (status === 'not_found') throw new Problem('job_not_found');
  if (status === 'already_finished') throw new Problem('already_finished');
  const target = { id, account: job.account };
  app.audit({ principal, requestId, action: 'cancel_job', target, before: job.state, after: status });
  return { status: 200, body: { id, status } };
}
