import { z } from 'zod';
import { listFields, pageOf } from '../http/list-query.js';
import { jobView, moment, queueFilter } from '../jobs/schemas.js';

const filterFields = {
  account: z.string().min(1).max(256).optional(),
  queue: queueFilter,
  name: z.string().max(128).optional(),
  tag: z.string().min(1).max(256).optional(),
  code: z.string().min(1).max(64).optional().meta({ description: 'Why they died' }),
  since: moment.optional().meta({ description: 'Only those dead since this moment or later' }),
  until: moment.optional().meta({ description: 'Only those dead at this moment or before' }),
};

export const deadLettersQuery = z.strictObject({ ...filterFields, ...listFields });

export const deadCodesQuery = z.strictObject(filterFields);

const MAX_PER_SECOND = 1_000;

export const bulkReplayBody = z.strictObject({
  filter: z.strictObject(filterFields).default({}),
  all: z.boolean().optional().meta({ description: 'Needed where the filter narrows nothing' }),
  dryRun: z.boolean().optional().meta({ description: 'Count only' }),
  perSecond: z.int().min(1).max(MAX_PER_SECOND).default(50).meta({ description: 'Pace' }),
});

const deadLetter = jobView
  .pick({
    id: true,
    key: true,
    name: true,
    queue: true,
    account: true,
    limitGroup: true,
    tag: true,
    attempts: true,
    createdAt: true,
    readOnly: true,
  })
  .extend({
    code: z.string(),
    reason: z.string(),
    status: z.int().optional().meta({ description: 'HTTP status of the outside' }),
    finishedAt: z.iso.datetime(),
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterList = pageOf(deadLetter).meta({ id: 'DeadLetterList' });

export const replayAnswer = z
  .object({ id: z.string(), status: z.literal('replayed') })
  .meta({ id: 'ReplayAnswer' });

const counted = {
  matched: z.int(),
  byCode: z.record(z.string(), z.int()).meta({ description: 'Of the matched, by the code they died with' }),
};

const complete = z.boolean().meta({
  description:
    'False where there were more than one count looks at (500,000): then there are at least so many',
});

export const deadCodes = z.object({ ...counted, complete }).meta({ id: 'DeadLetterCodes' });

const bulkMatch = {
  ...counted,
  unresolved: z.int().meta({ description: 'Left out: an effect of theirs waits for the word of a person' }),
  until: z.iso.datetime().meta({ description: 'What dies later stays out' }),
};

const byAccount = z
  .array(z.object({ account: z.string(), matched: z.int() }))
  .meta({ description: 'Of the matched: the accounts with most of them, 20 at most' });

export const bulkPreview = z.object({ ...bulkMatch, byAccount, complete }).meta({ id: 'BulkReplayPreview' });

export const bulkStarted = z
  .object({ operation: z.string(), ...bulkMatch })
  .meta({ id: 'BulkReplayStarted' });
