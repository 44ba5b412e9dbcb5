import { route, type Route } from '../http/route.js';
import { jobIdParams } from '../jobs/schemas.js';
import { listWorkers } from './list-workers.js';
import { reclaimJob } from './reclaim-job.js';
import { reclaimAnswer, workerList } from './schemas.js';

/** The part of the table that is about workers and what they hold. */
export const workerRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/workers',
    summary: 'Workers, those that are lost or hang first',
    access: ['viewer', 'limits', 'operator'],
    accountTokens: 'refused',
    responses: {
      200: { description: 'Of the last hour, but for those that stopped in good order', schema: workerList },
    },
    errors: [],
    handler: listWorkers,
  }),
  route({
    method: 'post',
    path: '/v1/jobs/{id}/reclaim',
    summary: 'Take a running job away from its worker, for another to run it: for workers that hang',
    access: ['operator'],
    accountTokens: 'narrowed',
    params: jobIdParams,
    responses: { 200: { description: 'It is being taken back', schema: reclaimAnswer } },
    errors: ['job_not_found', 'not_active', 'account_forbidden'],
    handler: reclaimJob,
  }),
];
