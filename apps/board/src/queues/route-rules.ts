import type { BoardRole } from '@fairlane/runtime';

/** A route of Bull Board as it names it in its own table. */
export interface BoardRoute {
  method: string | string[];
  route: string | string[];
}

/** Routes that read. Left out are those of BullMQ features the product does not use. */
const reading = ['get /api/queues', 'get /api/queues/:queueName/:jobId', 'get /api/redis/stats'];

/**
 * What each role reaches of Bull Board's API. Anything not named here is not mounted: adding, editing,
 * promoting, emptying, cleaning and pausing would bypass lanes, limits, dedup and the audit, and replaying
 * a whole queue at once has no dry run and no bound. Routes that a later version adds stay off too.
 */
const allowed: Record<BoardRole, ReadonlySet<string>> = {
  viewer: new Set(reading),
  operator: new Set([...reading, 'put /api/queues/:queueName/:jobId/retry']),
};

export function isAllowed(role: BoardRole, { method, route }: BoardRoute): boolean {
  const methods = [method].flat();
  const routes = [route].flat();
  return methods.every((m) => routes.every((r) => allowed[role].has(`${m.toLowerCase()} ${r}`)));
}
