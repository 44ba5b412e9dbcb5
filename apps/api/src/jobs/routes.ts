import { MAX_PAYLOAD_BYTES } from '@fairlane/blobs';
import { z } from 'zod';
import { route, type Route } from '../http/route.js';
import { cancelJob } from './cancel-job.js';
import { cancelJobs } from './cancel-jobs.js';
import { enqueueBatch } from './enqueue-batch.js';
import { enqueueJob } from './enqueue-job.js';
import { getJob } from './get-job.js';
import { getPayload } from './get-payload.js';
import { listJobs } from './list-jobs.js';
import { resolveEffect } from './resolve-effect.js';
import {
  batchLine,
  batchSummary,
  bulkCancelBody,
  bulkCancelPreview,
  bulkCancelStarted,
  cancelAnswer,
  effectParams,
  enqueued,
  enqueueQuery,
  jobIdParams,
  jobPlaceQuery,
  jobList,
  jobNameParams,
  jobsQuery,
  jobView,
  verdictAnswer,
  verdictBody,
} from './schemas.js';

/** The part of the table that is about jobs. */
export const jobRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/jobs/cancel',
    summary:
      'End all jobs of a filter that have not ended; `Idempotency-Key` makes it safe to send twice. A dry run counts and starts nothing',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    body: { kind: 'json', schema: bulkCancelBody, invalid: 'invalid_request' },
    responses: {
      202: { description: 'It has started: ask `/v1/operations/{id}`', schema: bulkCancelStarted },
      200: { description: 'What it would do (dry run)', schema: bulkCancelPreview },
    },
    errors: ['empty_filter', 'account_forbidden', 'idempotency_conflict', 'too_many_operations'],
    handler: cancelJobs,
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{name}',
    summary: 'Enqueue one job',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: jobNameParams,
    query: enqueueQuery,
    body: { kind: 'json', schema: z.unknown(), invalid: 'invalid_payload', maxBytes: MAX_PAYLOAD_BYTES },
    responses: {
      202: { description: 'Accepted', schema: enqueued },
      200: { description: 'The same job was accepted before', schema: enqueued },
    },
    errors: [
      'unknown_job',
      'key_conflict',
      'payload_too_large',
      'invalid_payload',
      'account_forbidden',
      'queue_full',
    ],
    handler: enqueueJob,
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{name}/batch',
    summary: 'Enqueue jobs of one name from NDJSON, streamed both ways',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: jobNameParams,
    body: { kind: 'ndjson', description: 'A payload a line, any number of lines' },
    responses: {
      200: {
        description: 'A line a job, in order; the last line is the summary',
        type: 'application/x-ndjson',
        schema: z.union([batchLine, batchSummary]),
      },
    },
    errors: ['unknown_job'],
    handler: enqueueBatch,
  }),
  route({
    method: 'get',
    path: '/v1/jobs/{id}',
    summary: 'One job',
    access: ['producer', 'viewer', 'operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    query: jobPlaceQuery,
    responses: { 200: { description: 'The job; a viewer sees no result', schema: jobView } },
    errors: ['job_not_found'],
    handler: getJob,
  }),
  route({
    method: 'get',
    path: '/v1/jobs',
    summary: 'Jobs, newest first',
    access: ['producer', 'viewer', 'operator'],
    accountTokens: 'narrowed',
    query: jobsQuery,
    responses: { 200: { description: 'A page of jobs; a viewer sees no results', schema: jobList } },
    errors: [],
    handler: listJobs,
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{id}/cancel',
    summary: 'End a job without success, whether it waits or runs',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    responses: { 200: { description: 'Cancelled, or about to be', schema: cancelAnswer } },
    errors: ['job_not_found', 'already_finished', 'account_forbidden'],
    handler: cancelJob,
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{id}/effects/{name}/resolve',
    summary: 'Say whether an effect was applied that nobody could tell of; the job that died of it goes on',
    access: ['operator'],
    accountTokens: 'narrowed',
    params: effectParams,
    body: { kind: 'json', schema: verdictBody, invalid: 'invalid_request' },
    responses: { 200: { description: 'The effect is settled', schema: verdictAnswer } },
    errors: ['job_not_found', 'unknown_effect', 'nothing_unresolved', 'account_forbidden'],
    handler: resolveEffect,
  }),
  route({
    method: 'get',
    path: '/v1/jobs/{id}/payload',
    summary: 'What a job was handed in with, as it stands; leaves an audit line',
    access: ['operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    query: jobPlaceQuery,
    responses: {
      200: {
        description: 'The payload; as text/plain what is stored where that can be read as none',
        schema: z.unknown(),
        alsoType: 'text/plain',
      },
    },
    errors: ['job_not_found', 'payload_gone', 'no_blob_store'],
    handler: getPayload,
  }),
];
