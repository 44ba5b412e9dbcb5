import type { z } from 'zod';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { presentJob } from './present-job.js';
import type { jobIdParams } from './schemas.js';

/** `GET /v1/jobs/{id}`. A job of a foreign account is as unknown as one that never was. */
export async function getJob({ app, params, principal }: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { id } = params;
  const job = /^[\w-]{22}$/.test(id) ? await app.operations.job(id, principal.accounts) : undefined;
  if (!job || !mayTouch(principal, job.account)) throw new Problem('job_not_found');
  return { status: 200, body: presentJob(job, principal) };
}
