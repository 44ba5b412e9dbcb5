import type { z } from 'zod';
import { describeIssues, Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import type { EnqueueResult } from '@fairlane/queue';
import type { EnqueueOutcome } from './enqueue-counter.js';
import { contractOf } from './contract-of.js';
import { isForeign } from './is-foreign.js';
import type { enqueueQuery, jobNameParams } from './schemas.js';

type EnqueueCall = Call<z.output<typeof jobNameParams>, z.output<typeof enqueueQuery>>;

/** `POST /v1/jobs/{name}` */
export async function enqueueJob({ app, params, query, body, principal }: EnqueueCall): Promise<Reply> {
  const contract = contractOf(app, params.name);
  if (isForeign(principal, contract, body)) throw new Problem('account_forbidden');
  let outcome: EnqueueOutcome = 'unavailable';
  let result: EnqueueResult;
  try {
    result = await app.producer.enqueue(contract, body, query);
    outcome = result.outcome;
  } finally {
    app.countEnqueued(contract, body, outcome);
  }
  if (result.outcome === 'conflict') {
    throw new Problem('key_conflict', { extra: { id: result.id, key: result.key } });
  }
  if (result.outcome === 'refused') throw refusal(result);
  const { id, key, outcome: status, state } = result;
  return { status: status === 'accepted' ? 202 : 200, body: { id, key, status, state } };
}

function refusal(result: EnqueueResult & { readonly outcome: 'refused' }): Problem {
  const { code, issues } = result;
  const detail = describeIssues(issues);
  // Nothing is wrong with the input, so there are no paths to name.
  if (code === 'queue_full') return new Problem(code, { detail, headers: retryAfter(result.retryAfterMs) });
  return new Problem(code, { detail, issues });
}

function retryAfter(ms: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(ms / 1_000)) };
}
