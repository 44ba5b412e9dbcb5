import type { CancelFilter } from '@fairlane/queue';
import type { z } from 'zod';
import { mayTouch } from '../http/access.js';
import { definedOnly } from '../http/defined-only.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { operationOf } from '../operations/operation-of.js';
import type { bulkCancelBody } from './schemas.js';

type CancelCall = Call<unknown, unknown, z.output<typeof bulkCancelBody>>;

/**
 * `POST /v1/jobs/cancel`: an end without success for every job that matches and has not ended. A token that is limited
 * to accounts reaches those alone, whatever the filter says.
 */
export async function cancelJobs(call: CancelCall): Promise<Reply> {
  const { app, body, principal, requestId } = call;
  const filter = filterOf(call);
  if (body.dryRun === true) {
    const { until, ...match } = await app.operations.previewCancel(filter);
    return { status: 200, body: { ...match, until: new Date(until).toISOString() } };
  }
  const idempotencyKey = idempotencyKeyOf(call);
  const outcome = await app.operations.cancelAll({ filter, by: principal.id, idempotencyKey });
  const { id, matched, byState, until: untilMs } = operationOf(outcome);
  const until = new Date(untilMs).toISOString();
  if (outcome.outcome === 'started') {
    app.audit({
      principal,
      requestId,
      action: 'cancel_jobs',
      target: { operation: id },
      before: { filter: { ...filter, until }, matched, byState },
      after: 'cancelled',
    });
  }
  return { status: 202, body: { operation: id, matched, byState, until } };
}

function filterOf({ body, principal }: CancelCall): CancelFilter {
  const { since, until, ...named } = body.filter;
  const wanted = definedOnly({ ...named, since: since?.getTime(), until: until?.getTime() });
  // `until` narrows nothing: up to now is what a cancel is about anyway.
  const narrows = Object.keys(wanted).some((field) => field !== 'until');
  if (!narrows && body.all !== true) {
    throw new Problem('empty_filter', {
      detail: 'The filter matches every job that has not ended: narrow it, or say `"all": true`.',
    });
  }
  if (named.account !== undefined) {
    if (!mayTouch(principal, named.account)) throw new Problem('account_forbidden');
    return wanted;
  }
  return principal.accounts === undefined
    ? wanted
    : { ...wanted, accounts: [...principal.accounts].toSorted() };
}
