import { z } from 'zod';
import { listFields, pageOf } from '../http/list-query.js';
import { jobView, moment } from '../jobs/schemas.js';

export const deadLettersQuery = z.strictObject({
  account: z.string().min(1).max(256).optional(),
  name: z.string().max(128).optional(),
  tag: z.string().min(1).max(256).optional(),
  code: z.string().min(1).max(64).optional().meta({ description: 'Why they died' }),
  since: moment.optional().meta({ description: 'Only those dead since this moment or later' }),
  until: moment.optional().meta({ description: 'Only those dead at this moment or before' }),
  ...listFields,
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
