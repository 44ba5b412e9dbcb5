import type { z } from 'zod';
import { accountOf } from '../http/account-of.js';
import { definedOnly } from '../http/defined-only.js';
import { mayTouch } from '../http/access.js';
import type { Call, Reply } from '../http/route.js';
import { presentListedJob } from './present-job.js';
import type { jobsQuery } from './schemas.js';

type ListCall = Call<unknown, z.output<typeof jobsQuery>>;

const emptyPage = { items: [], cursor: null };

/**
 * `GET /v1/jobs`, newest first. A page may be shorter than asked for: what a rare filter leaves is looked for in a
 * bounded number of jobs, and the cursor goes on from there.
 */
export async function listJobs(call: ListCall): Promise<Reply> {
  const { app, principal, query } = call;
  const account = accountOf(call);
  if (account !== undefined && !mayTouch(principal, account)) return { status: 200, body: emptyPage };
  const isDeclared =
    query.queue === undefined || Object.hasOwn(app.catalogue.queues.definitions, query.queue);
  if (!isDeclared) return { status: 200, body: emptyPage };
  const { since, cursor: sealed, ...wanted } = query;
  const cursor = app.cursors.open('jobs', sealed);
  const filter = definedOnly({ ...wanted, account, since: since?.getTime(), cursor });
  const page = await app.operations.jobs(filter);
  const items = page.items
    .map((job) => presentListedJob(job, principal))
    // Waiting jobs come lane by lane: without an account the order holds within a page, not from page to page.
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return { status: 200, body: app.cursors.seal('jobs', { items, cursor: page.cursor }) };
}
