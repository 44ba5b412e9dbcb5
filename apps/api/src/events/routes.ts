import { route, type Route } from '../http/route.js';
import { getEvents } from './get-events.js';

/** The part of the table that is about what has changed. */
export const eventRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/events',
    summary:
      'What has changed, as server-sent events: names of queues, accounts, jobs and operations, at most one event a second',
    access: ['viewer', 'limits', 'operator'],
    accountTokens: 'narrowed',
    responses: {
      200: {
        description:
          'Each event: `{ queues, accounts, jobs: [{ id, queue, account? }], operations, workers, more, reset? }`. `more`: not all is named; `reset`: read everything again. Send `Last-Event-ID` to go on where a stream broke, within five minutes. A token limited to accounts hears of those alone, and under load not of every change',
        type: 'text/event-stream',
      },
    },
    errors: ['too_many_streams'],
    handler: getEvents,
  }),
];
