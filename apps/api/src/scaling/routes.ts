import { route, type Route } from '../http/route.js';
import { getScaling } from './get-scaling.js';
import { scalingAnswer, scalingQuery } from './schemas.js';

/** The part of the table that is for whatever starts and stops workers. */
export const scalingRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/scaling',
    summary: 'How many worker replicas the queues need',
    access: ['viewer', 'limits', 'operator'],
    accountTokens: 'refused',
    query: scalingQuery,
    responses: {
      200: {
        description: 'The number and why; with `format=plain` the number',
        schema: scalingAnswer,
        alsoType: 'text/plain',
      },
    },
    errors: ['unknown_queue'],
    handler: getScaling,
  }),
];
