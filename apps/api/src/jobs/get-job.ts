import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { presentJob } from './present-job.js';
import { findJob } from './reach-job.js';
import type { jobIdParams } from './schemas.js';

/** `GET /v1/jobs/{id}` */
export async function getJob(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  return { status: 200, body: presentJob(await findJob(call, call.params.id), call.principal) };
}
