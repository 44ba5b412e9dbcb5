import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { presentJob } from './present-job.js';
import { findJob } from './reach-job.js';
import type { jobIdParams, jobPlaceQuery } from './schemas.js';

type JobCall = Call<z.output<typeof jobIdParams>, z.output<typeof jobPlaceQuery>>;

/** `GET /v1/jobs/{id}` */
export async function getJob(call: JobCall): Promise<Reply> {
  const job = await findJob(call, call.params.id, call.query.queue);
  return { status: 200, body: presentJob(job, call.principal) };
}
