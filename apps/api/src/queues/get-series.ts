import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { slotsOf } from './read-queue.js';
import type { queueParams, queueSeries, seriesQuery } from './schemas.js';

/** `GET /v1/queues/{queue}/series` */
export async function getSeries({
  app,
  params,
  query,
}: Call<z.output<typeof queueParams>, z.output<typeof seriesQuery>>): Promise<Reply> {
  const { queue } = params;
  slotsOf(app, queue);
  const minutes = await app.statistics.series(queue, query.minutes ?? 60);
  const items = minutes.map(({ at, sample, ...figures }) => ({
    at: new Date(at).toISOString(),
    ...figures,
    ready: sample?.ready ?? null,
    held: sample?.held ?? null,
    active: sample?.active ?? null,
    oldestEligibleAgeMs: sample?.oldestEligibleAgeMs ?? null,
  }));
  return { status: 200, body: { queue, items, cursor: null } satisfies z.output<typeof queueSeries> };
}
