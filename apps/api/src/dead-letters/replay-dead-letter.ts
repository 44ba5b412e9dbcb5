import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { jobToChange } from '../jobs/reach-job.js';
import type { jobIdParams } from '../jobs/schemas.js';
import { undeclaredQueue } from './undeclared-queue.js';

/** `POST /v1/dead-letters/{id}/replay`: a new run of the same job, fresh attempts, finished effects kept. */
export async function replayDeadLetter(call: Call<z.output<typeof jobIdParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id } = params;
  const { account, queue, state, lastError } = await jobToChange(call, id);
  const status = await app.operations.replay(id);
  if (status === 'not_found') throw new Problem('job_not_found');
  if (status === 'not_dead') throw new Problem('not_dead');
  if (status === 'undeclared_queue') throw undeclaredQueue(queue);
  if (status === 'unresolved_effect') throw new Problem('unresolved_effect');
  const before = { state, code: lastError?.code };
  app.audit({
    principal,
    requestId,
    action: 'replay_dead_letter',
    target: { id, account },
    before,
    after: status,
  });
  return { status: 202, body: { id, status } };
}
