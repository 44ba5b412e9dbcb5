import { JOB_STATES, type JobState } from '@fairlane/sdk';
import { z } from 'zod';

export const queueParams = z.object({
  queue: z.string().max(128).meta({ description: 'Name of a declared queue' }),
});

const count = z.int().min(0);
const stateCounts = Object.fromEntries(JOB_STATES.map((state) => [state, count.nullable()])) as Record<
  JobState,
  z.ZodNullable<typeof count>
>;

export const queueView = z
  .object({
    queue: z.string(),
    counts: z
      .object({
        ...stateCounts,
        delayed: count.meta({
          description: '`scheduled`, `held` by a throttling outside, and `retrying` together',
        }),
      })
      .meta({ description: 'Jobs by state; null where a state is not counted by itself' }),
    slots: z
      .object({ min: z.int(), max: z.int() })
      .meta({ description: 'Jobs that one worker runs at once' }),
  })
  .meta({ id: 'Queue' });

export const queueList = z.object({ items: z.array(queueView), cursor: z.null() }).meta({ id: 'QueueList' });
