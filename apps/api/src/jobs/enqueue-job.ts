import { retryAfter } from '@fairlane/runtime';
import type { JobContract } from '@fairlane/sdk';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { describeIssues, Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import type { EnqueueResult } from '@fairlane/queue';
import type { EnqueueOutcome } from './enqueue-counter.js';
import { contractOf } from './contract-of.js';
import { isForeign } from './is-foreign.js';
import type { enqueueQuery, jobNameParams } from './schemas.js';

type Taken = Extract<EnqueueResult, { readonly outcome: 'accepted' | 'duplicate' }>;
type EnqueueCall = Call<z.output<typeof jobNameParams>, z.output<typeof enqueueQuery>>;

/** `POST /v1/jobs/{name}` */
export async function enqueueJob({ app, params, query, body, principal }: EnqueueCall): Promise<Reply> {
  const contract = contractOf(app, params.name);
  if (isForeign(principal, contract, body)) throw new Problem('account_forbidden');
  const { id, key, outcome: status, state } = await enqueueOne(app, contract, body, query);
  return { status: status === 'accepted' ? 202 : 200, body: { id, key, status, state } };
}

/** Enqueues a job and counts what became of it. @throws Problem when it was not taken. */
export async function enqueueOne(
  app: AppContext,
  contract: JobContract,
  payload: unknown,
  options: z.output<typeof enqueueQuery> = {},
): Promise<Taken> {
  let outcome: EnqueueOutcome = 'unavailable';
  let result: EnqueueResult;
  try {
    result = await app.producer.enqueue(contract, payload, options);
    outcome = result.outcome;
  } finally {
    app.countEnqueued(contract, payload, outcome);
  }
  if (result.outcome === 'conflict') {
    throw new Problem('key_conflict', { extra: { id: result.id, key: result.key } });
  }
  if (result.outcome === 'refused') throw refusal(result);
  return result;
}

function refusal(result: EnqueueResult & { readonly outcome: 'refused' }): Problem {
  const { code, issues } = result;
  const detail = describeIssues(issues);
  // Nothing is wrong with the input, so there are no paths to name.
  if (code === 'queue_full') return new Problem(code, { detail, headers: retryAfter(result.retryAfterMs) });
  return new Problem(code, { detail, issues });
}
