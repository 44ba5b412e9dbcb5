import type { z } from 'zod';
import { definedOnly } from '../http/defined-only.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { jobToChange } from './reach-job.js';
import type { effectParams, verdictBody } from './schemas.js';

type ResolveCall = Call<z.output<typeof effectParams>, unknown, z.output<typeof verdictBody>>;

/** `POST /v1/jobs/{id}/effects/{name}/resolve`. The job that died of the effect goes on. */
export async function resolveEffect(call: ResolveCall): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { id, name } = params;
  const verdict = definedOnly(call.body);
  const { account, effects } = await jobToChange(call, id);
  const status = await app.operations.resolveEffect(id, name, verdict);
  if (status === 'not_found') throw new Problem('job_not_found');
  if (status === 'unknown_effect') throw new Problem('unknown_effect');
  if (status === 'nothing_unresolved') throw new Problem('nothing_unresolved');
  const before = effects.find((effect) => effect.name === name)?.state;
  const target = { id, account, effect: name };
  app.audit({
    principal,
    requestId,
    action: 'resolve_effect',
    target,
    before,
    after: { ...verdict, job: status },
  });
  return { status: 200, body: { id, effect: name, ...verdict, status } };
}
