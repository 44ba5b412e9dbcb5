import { z } from 'zod';
import { stateCounts } from '../jobs/state-counts.js';

const MOST_MINUTES = 61;
const minutesRange = `must be a whole number from 1 to ${MOST_MINUTES}`;

export const queueParams = z.object({
  queue: z.string().max(128).meta({ description: 'Name of a declared queue' }),
});

export const seriesQuery = z.object({
  minutes: z
    .string()
    .regex(/^\d{1,2}$/, minutesRange)
    .transform(Number)
    .refine((value) => value >= 1 && value <= MOST_MINUTES, minutesRange)
    .optional()
    .meta({ description: `How many minutes, from 1 to ${MOST_MINUTES}; 60 when left out` }),
});

const amount = z.int().min(0);
const rate = z.number().min(0);
const quantiles = z.object({ p50: z.number().nullable(), p99: z.number().nullable() }).meta({
  id: 'Quantiles',
  description: 'Milliseconds, off by a tenth at most; null where nothing was measured',
});

const figureFields = {
  enqueued: amount,
  started: amount.meta({ description: 'Attempts' }),
  completed: amount,
  dead: amount,
  cancelled: amount,
  enqueuedPerSecond: rate,
  finishedPerSecond: rate.meta({ description: 'Jobs that reached any end' }),
  errorRate: z.number().nullable().meta({
    description: 'Share of attempts that failed, from 0 to 1, throttled ones left out; null without any',
  }),
  timeInQueueMs: quantiles,
  processingMs: quantiles,
};
const figures = z
  .object(figureFields)
  .meta({ id: 'Figures', description: 'What happened in a queue over some time' });

const oldestEligibleAgeMs = z
  .number()
  .nullable()
  .meta({ description: 'Since when the oldest job that could run now could have run; null when none could' });

export const queueView = z
  .object({
    queue: z.string(),
    counts: stateCounts,
    paused: z.boolean(),
    oldestEligibleAgeMs,
    slots: z
      .object({ min: z.int(), max: z.int() })
      .meta({ description: 'Jobs that one worker runs at once' }),
    lastMinute: figures,
    lastHour: figures,
  })
  .meta({ id: 'Queue' });

export const queueList = z.object({ items: z.array(queueView), cursor: z.null() }).meta({ id: 'QueueList' });

const seriesItem = z
  .object({
    at: z.iso.datetime().meta({ description: 'When the minute began' }),
    ...figureFields,
    ready: amount
      .nullable()
      .meta({ description: 'At the last look in that minute; null when nobody looked' }),
    held: amount.nullable(),
    active: amount.nullable(),
    oldestEligibleAgeMs,
  })
  .meta({ id: 'QueueMinute' });

export const queueSeries = z
  .object({ queue: z.string(), items: z.array(seriesItem), cursor: z.null() })
  .meta({ id: 'QueueSeries', description: 'The oldest minute first; the last one is not over yet' });
