import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { jobToChange } from '../jobs/reach-job.js';
import type { jobIdParams } from '../jobs/schemas.js';
import { undeclaredQueue } from './undeclared-queue.js';

/** `DELETE /v1/dead-letters/{id}`: its key is free again, its effects stay in the ledger. */
export async function purgeDeadLetter(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id } = params;
  const { account, queue, state, lastError } = await jobToChange(call, id);
  const status = await app.operations.purge(id);
  if (status === 'not_found') throw new Problem('job_not_found');
  if (status === 'not_dead') throw new Problem('not_dead');
  if (status === 'undeclared_queue') throw undeclaredQueue(queue);
  const before = { state, code: lastError?.code };
  app.audit({
    principal,
    requestId,
    action: 'purge_dead_letter',
    target: { id, account },
    before,
    after: status,
  });
  return { status: 204 };
}
