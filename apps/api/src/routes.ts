import { route, type Route } from './http/route.js';
import { cancelJob } from './jobs/cancel-job.js';
import { cancelJobs } from './jobs/cancel-jobs.js';
import { enqueueBatch } from './jobs/enqueue-batch.js';
import { enqueueJob } from './jobs/enqueue-job.js';
import { getJob } from './jobs/get-job.js';
import { listJobs } from './jobs/list-jobs.js';
import { resolveEffect } from './jobs/resolve-effect.js';
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
  jobList,
  jobNameParams,
  jobsQuery,
  jobView,
  verdictAnswer,
  verdictBody,
} from './jobs/schemas.js';
import { MAX_PAYLOAD_BYTES } from '@fairlane/blobs';
import { accountRoutes } from './accounts/routes.js';
import { blobRoutes } from './blobs/routes.js';
import { deadLetterRoutes } from './dead-letters/routes.js';
import { eventRoutes } from './events/routes.js';
import { operationRoutes } from './operations/routes.js';
import { getDocs } from './openapi/get-docs.js';
import { getDocument } from './openapi/get-document.js';
import { queueRoutes } from './queues/routes.js';
import { readingRoutes } from './readings/routes.js';
import { scalingRoutes } from './scaling/routes.js';
import { getHealth } from './system/get-health.js';
import { getMetrics } from './system/get-metrics.js';
import { getReadiness } from './system/get-readiness.js';
import { health } from './system/schemas.js';
import { webhookEndpointRoutes } from './webhook-endpoints/routes.js';
import { workerRoutes } from './workers/routes.js';
import { z } from 'zod';

/** Every route of the API. What is not here does not exist; access is decided by what stands here. */
export const routes: readonly Route[] = [
  // Before the route of a job's name, which has a dot.
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
  ...blobRoutes,
  ...readingRoutes,
  ...webhookEndpointRoutes,
  ...deadLetterRoutes,
  ...operationRoutes,
  ...queueRoutes,
  ...eventRoutes,
  ...accountRoutes,
  ...workerRoutes,
  ...scalingRoutes,
  route({
    method: 'get',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    access: ['viewer', 'operator'],
    accountTokens: 'refused',
    responses: { 200: { description: 'The metrics', type: 'text/plain' } },
    errors: [],
    handler: getMetrics,
  }),
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process lives',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'It does', schema: health } },
    errors: [],
    handler: getHealth,
  }),
  route({
    method: 'get',
    path: '/readyz',
    summary: 'Whether the process can take requests',
    access: 'public',
    accountTokens: 'narrowed',
    responses: {
      200: { description: 'It can', schema: health },
      503: { description: 'It cannot, and why', schema: health },
    },
    errors: [],
    handler: getReadiness,
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    summary: 'This API in OpenAPI 3.1',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'The document', schema: z.looseObject({ openapi: z.string() }) } },
    errors: [],
    handler: getDocument,
  }),
  route({
    method: 'get',
    path: '/docs',
    summary: 'This API as a page to read',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
    handler: getDocs,
  }),
];
