import type { BulkFilter } from '@fairlane/queue';
import type { z } from 'zod';
import { definedOnly } from '../http/defined-only.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { operationOf } from '../operations/operation-of.js';
import type { bulkReplayBody } from './schemas.js';

/**
 * `POST /v1/dead-letters/replay`: a new run of every dead job that matches, paced. A dry run only counts; its `until`
 * in the filter of the real one leaves out what has died since.
 */
export async function replayDeadLetters(
  call: Call<unknown, unknown, z.output<typeof bulkReplayBody>>,
): Promise<Reply> {
  const { app, body, principal, requestId } = call;
  const { filter: wanted, all = false, dryRun = false, perSecond } = body;
  const { since, until, ...named } = wanted;
  const filter: BulkFilter = definedOnly({ ...named, since: since?.getTime(), until: until?.getTime() });
  // `until` narrows nothing: up to now is what a replay is about anyway.
  const narrows = Object.keys(filter).some((field) => field !== 'until');
  if (!narrows && !all) {
    throw new Problem('empty_filter', {
      detail: 'The filter matches every dead letter: narrow it, or say `"all": true`.',
    });
  }
  if (dryRun) {
    const { until: untilMs, ...match } = await app.operations.previewReplay(filter);
    return { status: 200, body: { ...match, until: new Date(untilMs).toISOString() } };
  }
  const idempotencyKey = idempotencyKeyOf(call);
  const outcome = await app.operations.replayAll({ filter, perSecond, by: principal.id, idempotencyKey });
  const { id, matched, byCode, unresolved, until: untilMs } = operationOf(outcome);
  const moment = new Date(untilMs).toISOString();
  if (outcome.outcome === 'started') {
    app.audit({
      principal,
      requestId,
      action: 'replay_dead_letters',
      target: { operation: id },
      before: { filter: { ...filter, until: moment }, matched, byCode, unresolved },
      after: { perSecond },
    });
  }
  return { status: 202, body: { operation: id, matched, byCode, unresolved, until: moment } };
}
