import { randomUUID } from 'node:crypto';
import { MAX_SOURCE_BYTES, parseContentDigest, UPLOAD_HOLD_MS } from '@fairlane/blobs';
import { Problem } from '../http/problems.js';
import { discardRest, refuseEncoding } from '../http/read-body.js';
import type { Call, Reply } from '../http/route.js';
import { Slots } from '../http/slots.js';
import { MAX_WAITING_BODIES, UPLOADS_AT_ONCE } from '../limits.js';
import { blobsOf, toBlobProblem } from './blobs-of.js';

/** Of the process: an upload to S3 has parts of it in memory. */
const uploads = new Slots({ count: UPLOADS_AT_ONCE, maxWaiting: MAX_WAITING_BODIES, waitMs: 10_000 });

/**
 * `PUT /v1/blobs`: stores a file that payloads can name, streamed and checked against `Content-Digest` where that is
 * given. It is kept for a day for the job that is to name it; from then on as long as that job.
 */
export async function putBlob({ app, request }: Call): Promise<Reply> {
  const blobs = blobsOf(app);
  try {
    refuseEncoding(request);
    const digest = parseContentDigest(header(request.headers['content-digest']));
    // Said before a gigabyte is on its way.
    if (Number(request.headers['content-length'] ?? 0) > MAX_SOURCE_BYTES) {
      throw new Problem('payload_too_large', { detail: `The limit is ${MAX_SOURCE_BYTES} bytes.` });
    }
    const release = await uploads.take();
    try {
      const { source, ...stored } = await blobs.put(request.iterator({ destroyOnReturn: false }), {
        owner: `upload:${randomUUID()}`,
        holdMs: UPLOAD_HOLD_MS,
        maxBytes: MAX_SOURCE_BYTES,
        digest,
      });
      return { status: 201, body: { source, digest: stored.digest, bytes: stored.bytes } };
    } finally {
      release();
    }
  } catch (error) {
    discardRest(request);
    throw toBlobProblem(error);
  }
}

/** Two of a header are one list. */
function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
