import { z } from 'zod';
import { stateCounts } from '../jobs/state-counts.js';

export const queueParams = z.object({
  queue: z.string().max(128).meta({ description: 'Name of a declared queue' }),
});

export const queueView = z
  .object({
    queue: z.string(),
    counts: stateCounts,
    paused: z.boolean(),
    oldestEligibleAgeMs: z
      .number()
      .nullable()
      .meta({ description: 'Age of the oldest job that could run now' }),
    slots: z
      .object({ min: z.int(), max: z.int() })
      .meta({ description: 'Jobs that one worker runs at once' }),
  })
  .meta({ id: 'Queue' });

export const queueList = z.object({ items: z.array(queueView), cursor: z.null() }).meta({ id: 'QueueList' });
