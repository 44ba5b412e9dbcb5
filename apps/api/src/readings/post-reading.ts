import { retryAfter } from '@fairlane/runtime';
import type { z } from 'zod';
import { mayTouch } from '../http/access.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { contractOf } from '../jobs/contract-of.js';
import { enqueueOne } from '../jobs/enqueue-job.js';
import type { readingBody } from './schemas.js';

/** From this on a disk counts as full. */
const FULL_PERCENT = 100;

/**
 * `POST /v1/readings`: stores a reading; of a full disk also enqueues `alert.dispatch`, which a worker takes from
 * there, so however slow the receiver of incidents is, the answer does not wait for it.
 *
 * Both are done at once and both may be done again: the same reading is stored once, and makes one alert a minute.
 */
export async function postReading(
  call: Call<unknown, unknown, z.output<typeof readingBody>>,
): Promise<Reply> {
  const { app, body, principal } = call;
  if (!mayTouch(principal, body.accountId)) throw new Problem('account_forbidden');
  const [alert, stored] = await Promise.allSettled([
    body.percent < FULL_PERCENT ? null : enqueueOne(app, contractOf(app, 'alert.dispatch'), body),
    app.readings.add(body),
  ]);
  if (alert.status === 'rejected') throw alert.reason;
  if (stored.status === 'rejected') throw unavailable(stored.reason);
  const { value } = alert;
  return {
    status: 201,
    body: { status: 'stored', alert: value && { id: value.id, status: value.outcome } },
  };
}

function unavailable(cause: unknown): Problem {
  const detail = 'The reading could not be stored: send it again.';
  return new Problem('unavailable', { detail, cause, headers: retryAfter(1_000) });
}
