import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { readQueue } from './read-queue.js';
import type { queueParams } from './schemas.js';

/** `GET /v1/queues/{queue}` */
export async function getQueue({ app, params }: Call<z.output<typeof queueParams>>): Promise<Reply> {
  return { status: 200, body: await readQueue(app, params.queue) };
}
