import { route, type Route } from '../http/route.js';
import { jobIdParams } from '../jobs/schemas.js';
import { countCodes } from './count-codes.js';
import { listDeadLetters } from './list-dead-letters.js';
import { purgeDeadLetter } from './purge-dead-letter.js';
import { replayDeadLetter } from './replay-dead-letter.js';
import { replayDeadLetters } from './replay-dead-letters.js';
import {
  bulkPreview,
  bulkReplayBody,
  bulkStarted,
  deadCodes,
  deadCodesQuery,
  deadLetterList,
  deadLettersQuery,
  replayAnswer,
} from './schemas.js';

/** The part of the table that is about jobs that ended without success. */
export const deadLetterRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/dead-letters',
    summary: 'Jobs that ended without success and wait for a person, the latest first',
    access: ['producer', 'viewer', 'operator'],
    accountTokens: 'narrowed',
    query: deadLettersQuery,
    responses: { 200: { description: 'A page of dead letters', schema: deadLetterList } },
    errors: [],
    handler: listDeadLetters,
  }),
  route({
    method: 'get',
    path: '/v1/dead-letters/codes',
    summary:
      'How many died of what, over all that match. An answer may be some seconds old, longer where counting takes long',
    access: ['producer', 'viewer', 'operator'],
    accountTokens: 'narrowed',
    query: deadCodesQuery,
    responses: { 200: { description: 'Counts', schema: deadCodes } },
    errors: [],
    handler: countCodes,
  }),
  route({
    method: 'post',
    path: '/v1/dead-letters/replay',
    summary:
      'Run all dead jobs of a filter again, paced; `Idempotency-Key` makes it safe to send twice. A dry run counts and starts nothing',
    access: ['operator'],
    accountTokens: 'refused',
    body: { kind: 'json', schema: bulkReplayBody, invalid: 'invalid_request' },
    responses: {
      202: { description: 'It has started: ask `/v1/operations/{id}`', schema: bulkStarted },
      200: { description: 'What it would do (dry run)', schema: bulkPreview },
    },
    errors: ['empty_filter', 'idempotency_conflict', 'too_many_operations'],
    handler: replayDeadLetters,
  }),
  route({
    method: 'post',
    path: '/v1/dead-letters/{id}/replay',
    summary: 'Run a dead job again: fresh attempts, finished effects kept',
    access: ['operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    responses: { 202: { description: 'It is a new run of the same job', schema: replayAnswer } },
    errors: ['job_not_found', 'not_dead', 'undeclared_queue', 'unresolved_effect', 'account_forbidden'],
    handler: replayDeadLetter,
  }),
  route({
    method: 'delete',
    path: '/v1/dead-letters/{id}',
    summary: 'Remove a dead job; the same work can be handed in again, its effects stay known',
    access: ['operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    responses: { 204: { description: 'Removed' } },
    errors: ['job_not_found', 'not_dead', 'undeclared_queue', 'account_forbidden'],
    handler: purgeDeadLetter,
  }),
];
