import type { Call, Reply } from '../http/route.js';
import { readQueue } from './read-queue.js';

/** `GET /v1/queues`: all of them, since they are declared and few. */
export async function listQueues({ app }: Call): Promise<Reply> {
  const names = Object.keys(app.catalogue.queues.definitions);
  const items = await Promise.all(names.map((name) => readQueue(app, name)));
  return { status: 200, body: { items, cursor: null } };
}
