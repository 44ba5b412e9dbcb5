import type { BoardRole } from '@fairlane/runtime';

/** A route of Bull Board as it names it in its own table. */
export interface BoardRoute {
  method: string | string[];
  route: string | string[];
}

/** Asked for with every job; always answered with "no flow", since jobs here have no parents. */
export const FLOW_ROUTE = 'get /api/queues/:queueName/:jobId/flow';

/** Routes that read. Left out are those of BullMQ features that the product does not use. */
const reading = [
  'get /api/queues',
  'get /api/queues/:queueName/default-job-options',
  'get /api/queues/:queueName/:jobId',
  'get /api/queues/:queueName/:jobId/logs',
  FLOW_ROUTE,
];

/**
 * What each role reaches of Bull Board's API. Anything not named here is not mounted: adding, editing,
 * promoting, emptying, cleaning and pausing would bypass lanes, limits, dedup and the audit, and replaying
 * a whole queue at once has no dry run and no bound. Routes that a later version adds stay off too.
 */
const allowed: Record<BoardRole, ReadonlySet<string>> = {
  viewer: new Set(reading),
  operator: new Set([...reading, 'put /api/queues/:queueName/:jobId/retry']),
};

export function isAllowed(role: BoardRole, route: BoardRoute): boolean {
  const names = namesOf(route);
  return names.length > 0 && names.every((name) => allowed[role].has(name));
}

export function namesOf({ method, route }: BoardRoute): string[] {
  return [method].flat().flatMap((m) => [route].flat().map((r) => `${m.toLowerCase()} ${r}`));
}
