import { WORKER_STATUSES } from '@fairlane/queue';
import { z } from 'zod';

const count = z.int().min(0);

export const workerView = z
  .object({
    id: z.string().meta({ description: 'Also the `worker` of the jobs it runs' }),
    host: z.string(),
    pid: z.int(),
    status: z.enum(WORKER_STATUSES).meta({
      description:
        '`hung`: it is connected but has not beaten three times, or a queue with free slots is not asked for work; `lost`: not even connected',
    }),
    queues: z.array(z.string()),
    slots: count.meta({ description: 'Jobs it runs at once just now, over all its queues' }),
    busy: count,
    lastBeat: z.iso.datetime(),
    eventLoopLagMs: z
      .number()
      .meta({ description: 'Longest time the event loop was blocked before that beat' }),
    jobs: z
      .array(z.object({ id: z.string(), name: z.string(), queue: z.string() }))
      .meta({ description: 'What runs, 50 at most' }),
    handles: z
      .record(z.string(), z.int())
      .meta({ description: 'Newest version of each job that it can run' }),
  })
  .meta({ id: 'Worker' });

export const workerList = z
  .object({ items: z.array(workerView), cursor: z.null() })
  .meta({ id: 'WorkerList' });

export const reclaimAnswer = z
  .object({
    id: z.string(),
    status: z.literal('reclaiming').meta({
      description: 'Its worker has no right to it any more; another takes it within the time of a lease',
    }),
  })
  .meta({ id: 'ReclaimAnswer' });
