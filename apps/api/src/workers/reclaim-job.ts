import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { jobToChange } from '../jobs/reach-job.js';
import type { jobIdParams } from '../jobs/schemas.js';

/** `POST /v1/jobs/{id}/reclaim`: for a job whose worker hangs. The worker hears of it with its next renewal. */
export async function reclaimJob(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id } = params;
  const { account, worker, leaseExpiresAt } = await jobToChange(call, id);
  if (!(await app.operations.reclaim(id))) throw new Problem('not_active');
  const target = { id, account };
  const before = { worker, leaseExpiresAt };
  app.audit({ principal, requestId, action: 'reclaim_job', target, before, after: 'reclaiming' });
  return { status: 200, body: { id, status: 'reclaiming' } };
}
