import { route, type Route } from '../http/route.js';
import { getBlob } from './get-blob.js';
import { putBlob } from './put-blob.js';
import { blobParams, storedBlob } from './schemas.js';

/** The part of the table that is about files which payloads name. */
export const blobRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/v1/blobs',
    summary: 'Store a file of up to 1 GiB that payloads can name, streamed',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    body: { kind: 'bytes', description: 'The bytes; checked against `Content-Digest` where that is given' },
    responses: { 201: { description: 'Stored, and kept for a day for a job', schema: storedBlob } },
    errors: ['payload_too_large', 'invalid_digest', 'digest_mismatch', 'no_blob_store'],
    handler: putBlob,
  }),
  route({
    method: 'get',
    path: '/v1/blobs/{digest}',
    summary: 'A stored file, streamed',
    access: ['producer', 'operator'],
    // A blob belongs to no account: what is in it may be of any.
    accountTokens: 'refused',
    params: blobParams,
    responses: { 200: { description: 'Its bytes', type: 'application/octet-stream' } },
    errors: ['blob_not_found', 'no_blob_store'],
    handler: getBlob,
  }),
];
