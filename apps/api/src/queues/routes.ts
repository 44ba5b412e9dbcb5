import { route, type Route } from '../http/route.js';
import { getQueue } from './get-queue.js';
import { getSeries } from './get-series.js';
import { listQueues } from './list-queues.js';
import { queueList, queueParams, queueSeries, queueView, seriesQuery } from './schemas.js';

/** Who may look at whole queues; a token limited to accounts may not. */
const readers = {
  access: ['viewer', 'limits', 'operator'],
  accountTokens: 'refused',
} as const satisfies Partial<Route>;

/** The part of the table that is about queues. */
export const queueRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/queues',
    summary: 'All queues with counts by state, ages, rates and times of the last minute and hour',
    ...readers,
    responses: { 200: { description: 'The queues', schema: queueList } },
    errors: [],
    handler: listQueues,
  }),
  route({
    method: 'get',
    path: '/v1/queues/{queue}',
    summary: 'One queue with counts by state, ages, rates and times of the last minute and hour',
    ...readers,
    params: queueParams,
    responses: { 200: { description: 'The queue', schema: queueView } },
    errors: ['unknown_queue'],
    handler: getQueue,
  }),
  route({
    method: 'get',
    path: '/v1/queues/{queue}/series',
    summary: 'The same by the minute, up to the last hour',
    ...readers,
    params: queueParams,
    query: seriesQuery,
    responses: { 200: { description: 'The minutes', schema: queueSeries } },
    errors: ['unknown_queue'],
    handler: getSeries,
  }),
];
