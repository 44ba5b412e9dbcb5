import { formatContentDigest } from '@fairlane/blobs';
import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { blobsOf, toBlobProblem } from './blobs-of.js';
import type { blobParams } from './schemas.js';

/**
 * `GET /v1/blobs/{digest}`, streamed. The bytes are checked on the way: of a damaged file the connection is cut before
 * its end. Blobs belong to no account, so a token limited to accounts is let at none of them.
 */
export async function getBlob(call: Call<z.output<typeof blobParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const { digest } = params;
  const blobs = blobsOf(app);
  try {
    const found = /^[0-9a-f]{64}$/.test(digest) ? await blobs.find(digest) : undefined;
    if (found === undefined) throw new Problem('blob_not_found');
    const stream = await blobs.read(found.source);
    const after = { bytes: found.bytes };
    app.audit({ principal, requestId, action: 'read_blob', target: { digest }, before: null, after });
    const headers = {
      'content-length': String(found.bytes),
      'content-digest': formatContentDigest(digest),
      'content-disposition': 'attachment',
    };
    return { status: 200, headers, type: 'application/octet-stream', stream };
  } catch (error) {
    throw toBlobProblem(error);
  }
}
