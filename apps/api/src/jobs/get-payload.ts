import { BlobMissingError } from '@fairlane/blobs';
import type { z } from 'zod';
import { blobsOf, toBlobProblem } from '../blobs/blobs-of.js';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { findJob } from './reach-job.js';
import type { jobIdParams, jobPlaceQuery } from './schemas.js';

type PayloadCall = Call<z.output<typeof jobIdParams>, z.output<typeof jobPlaceQuery>>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** `GET /v1/jobs/{id}/payload`. What lies in the blob store is streamed from there, never whole in memory. */
export async function getPayload(call: PayloadCall): Promise<Reply> {
  const { app, params, query, principal, requestId } = call;
  const { id } = params;
  const job = await findJob(call, id, query.queue);
  const payload = await app.operations.payload(id, job.queue);
  if (!payload) throw new Problem('job_not_found');
  const reply = payload.kind === 'blob' ? await fromStore(call, payload.source) : toText(payload);
  const target = { id, account: job.account };
  app.audit({ principal, requestId, action: 'read_payload', target, before: null, after: null });
  return reply;
}

function toText({ kind, text }: { readonly kind: 'json' | 'unreadable'; readonly text: string }): Reply {
  return { status: 200, type: kind === 'json' ? JSON_TYPE : 'text/plain; charset=utf-8', text };
}

async function fromStore({ app }: Call, source: string): Promise<Reply> {
  try {
    return { status: 200, type: JSON_TYPE, stream: await blobsOf(app).read(source) };
  } catch (error) {
    if (error instanceof BlobMissingError) throw new Problem('payload_gone', { cause: error });
    throw toBlobProblem(error);
  }
}
