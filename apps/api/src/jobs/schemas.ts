import { HELD_REASONS, JOB_STATES } from '@fairlane/sdk';
import { z } from 'zod';
import { issue } from '../http/problem-schema.js';
import { listFields, pageOf } from '../http/list-query.js';
import { MAX_DELAY_MS, MAX_PRIORITY } from '../limits.js';

export const jobNameParams = z.object({
  name: z.string().max(128).meta({ description: 'Name of a declared job' }),
});
export const jobIdParams = z.object({ id: z.string().max(128).meta({ description: 'Id of a job' }) });

export const effectParams = jobIdParams.extend({
  name: z.string().max(128).meta({ description: 'Name of an effect of the job' }),
});

const state = z.enum(JOB_STATES);

export const moment = z.iso
  .datetime({ offset: true, error: 'must be a date and time with zone in ISO 8601' })
  .transform((text) => new Date(text));

function digits(max: number) {
  const message = `must be a whole number from 0 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value <= max, message);
}

export const enqueueQuery = z
  .strictObject({
    runAt: moment
      .refine(
        (date) => date.getTime() <= Date.now() + MAX_DELAY_MS,
        `must be at most ${MAX_DELAY_MS} ms ahead`,
      )
      .optional()
      .meta({ description: 'Not before this moment, in ISO 8601 with zone' }),
    delayMs: digits(MAX_DELAY_MS)
      .optional()
      .meta({ description: 'Not before this many milliseconds from now' }),
    priority: digits(MAX_PRIORITY)
      .optional()
      .meta({ description: '0 first, within the lane of the account' }),
  })
  .refine((query) => query.runAt === undefined || query.delayMs === undefined, {
    path: ['runAt'],
    message: 'give runAt or delayMs, not both',
  });

const filterFields = {
  account: z.string().min(1).max(256).optional(),
  state: state.optional(),
  name: z.string().max(128).optional(),
  tag: z.string().min(1).max(256).optional(),
  since: moment.optional().meta({ description: 'Only jobs handed in at or after this moment' }),
};

export const queueFilter = z.string().min(1).max(128).optional();

export const jobPlaceQuery = z.object({
  queue: queueFilter.meta({ description: 'Of a job of another producer, whose id may be in several' }),
});

export const jobsQuery = z.strictObject({ ...filterFields, queue: queueFilter, ...listFields });

export const bulkCancelBody = z.strictObject({
  filter: z
    .strictObject({
      ...filterFields,
      until: moment.optional().meta({ description: 'Only jobs handed in at or before this moment' }),
    })
    .default({}),
  all: z.boolean().optional().meta({ description: 'Needed where the filter narrows nothing' }),
  dryRun: z.boolean().optional().meta({ description: 'Count only' }),
});

const cancelMatch = {
  matched: z.int().meta({ description: 'Jobs of the filter that have not ended' }),
  byState: z.partialRecord(state, z.int()).meta({ description: 'Of the matched, by their state' }),
  until: z.iso.datetime().meta({ description: 'What is handed in later stays out' }),
};

export const bulkCancelPreview = z.object(cancelMatch).meta({ id: 'BulkCancelPreview' });

export const bulkCancelStarted = z
  .object({ operation: z.string(), ...cancelMatch })
  .meta({ id: 'BulkCancelStarted' });

const time = z.iso.datetime();

export const enqueued = z
  .object({
    id: z.string(),
    key: z.string(),
    status: z.enum(['accepted', 'duplicate']),
    state,
  })
  .meta({ id: 'Enqueued' });

export const batchLine = z
  .object({
    line: z.int().min(1),
    status: z.enum(['accepted', 'duplicate', 'rejected']),
    id: z.string().optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
    issues: z.array(issue).optional(),
  })
  .meta({
    id: 'BatchLine',
    description: 'Answer to one line of a batch; `code` and `detail` say why it is rejected',
  });

export const batchSummary = z
  .object({ summary: z.object({ accepted: z.int(), duplicates: z.int(), rejected: z.int() }) })
  .meta({ id: 'BatchSummary', description: 'Last line of the answer to a batch' });

const failure = {
  code: z.string(),
  class: z.string(),
  message: z.string(),
  status: z.int().optional(),
  at: time,
};

export const jobView = z
  .object({
    id: z.string(),
    key: z.string(),
    name: z.string(),
    version: z.int(),
    queue: z.string(),
    account: z.string(),
    limitGroup: z.string(),
    tag: z.string().optional(),
    state,
    reason: z.enum(HELD_REASONS).optional(),
    nextRunAt: time.optional(),
    priority: z.int(),
    attempts: z.object({ made: z.int(), max: z.int() }),
    stalls: z.int(),
    worker: z.string().optional(),
    leaseExpiresAt: time.optional(),
    lastError: z.object(failure).optional(),
    failures: z
      .array(
        z.object({
          attempt: z.int().meta({ description: 'Counted from 1; one that was put off is counted again' }),
          ...failure,
          worker: z.string().optional(),
        }),
      )
      .optional()
      .meta({
        description:
          'Attempts that failed or were put off, the latest first, ten at most. Left out where there are none, and in lists',
      }),
    createdAt: time,
    startedAt: time.optional(),
    finishedAt: time.optional(),
    progress: z.unknown().optional(),
    result: z.unknown().optional(),
    readOnly: z
      .literal(true)
      .optional()
      .meta({ description: 'Another producer has put it into the queue: it can be looked at, not changed' }),
    effects: z.array(
      z.object({ name: z.string(), state: z.string(), externalId: z.string().optional(), at: time }),
    ),
  })
  .meta({ id: 'Job' });

export const jobList = pageOf(jobView).meta({ id: 'JobList' });

export const cancelAnswer = z
  .object({
    id: z.string(),
    status: z
      .enum(['cancelled', 'cancelling'])
      .meta({ description: '`cancelling`: it runs, and hears of it through its signal' }),
  })
  .meta({ id: 'CancelAnswer' });

export const verdictBody = z
  .strictObject({
    outcome: z.enum(['applied', 'not_applied']),
    externalId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: 'What the outside calls what was applied' }),
  })
  .refine(({ outcome, externalId }) => outcome === 'applied' || externalId === undefined, {
    path: ['externalId'],
    message: 'is of something that was applied',
  });

export const verdictAnswer = z
  .object({
    id: z.string(),
    effect: z.string(),
    outcome: z.enum(['applied', 'not_applied']),
    externalId: z.string().optional(),
    status: z.enum(['replayed', 'resolved']).meta({
      description:
        '`replayed`: the job goes on as a new run; `resolved`: it stays dead, for another effect or for what else it died of',
    }),
  })
  .meta({ id: 'EffectVerdict' });
