import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { desiredReplicas } from './desired-replicas.js';
import { readDemand } from './read-demand.js';
import type { scalingQuery } from './schemas.js';

/** `GET /v1/scaling`: for whatever starts and stops worker processes. */
export async function getScaling({
  app,
  query,
}: Call<unknown, z.output<typeof scalingQuery>>): Promise<Reply> {
  const { queues = Object.keys(app.catalogue.queues.definitions), min, max, targetAgeMs, format } = query;
  const workers = await app.operations.workers();
  const names = new Set(queues);
  const demands = await Promise.all([...names].map((name) => readDemand(app, name, workers)));
  const current = workers.filter(
    ({ status, served }) =>
      (status === 'busy' || status === 'idle') && served.some(({ queue }) => names.has(queue)),
  ).length;
  const scaling = desiredReplicas(demands, { min, max, targetAgeMs, current });
  if (format !== 'plain') return { status: 200, body: scaling };
  return { status: 200, type: 'text/plain; charset=utf-8', text: String(scaling.desiredReplicas) };
}
