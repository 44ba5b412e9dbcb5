import type { Call, Reply } from '../http/route.js';
import { presentOperation } from './present-operation.js';
import { isReachable } from './reach-operation.js';

/** `GET /v1/operations`. All on one page, since but a few run at a time. */
export async function listOperations({ app, principal }: Call): Promise<Reply> {
  const running = await app.operations.runningOperations();
  const items = running.filter((operation) => isReachable(principal, operation)).map(presentOperation);
  return { status: 200, body: { items, cursor: null } };
}
