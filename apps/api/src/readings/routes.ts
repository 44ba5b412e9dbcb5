import { route, type Route } from '../http/route.js';
import { postReading } from './post-reading.js';
import { readingBody, storedReading } from './schemas.js';

/** The part of the table that is about readings of disks. */
export const readingRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/readings',
    summary: 'Store how full a disk is; a full one raises an alert',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    body: { kind: 'json', schema: readingBody, invalid: 'invalid_payload' },
    responses: { 201: { description: 'Stored', schema: storedReading } },
    errors: ['account_forbidden', 'unknown_job', 'key_conflict', 'queue_full'],
    handler: postReading,
  }),
];
