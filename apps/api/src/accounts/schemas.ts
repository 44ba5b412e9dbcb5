import { HELD_REASONS } from '@fairlane/sdk';
import { z } from 'zod';
import { MAX_MS_PER_TOKEN, MAX_TOKENS_PER_SECOND } from '../limits.js';
import { listFields, pageOf } from '../http/list-query.js';
import { stateCounts } from '../jobs/state-counts.js';

const account = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= 256, 'must be at most 256 bytes')
  .meta({ description: 'Id of an account' });

export const accountParams = z.object({ account });
export const gateParams = z.object({
  account,
  group: z.string().min(1).max(64).meta({ description: 'A declared limit group' }),
});

const limitFields = {
  limit: z.number().positive().meta({ description: 'Tokens that come back in `perMs`' }),
  perMs: z.number().positive(),
  burst: z.number().min(1).meta({ description: 'Tokens of an idle account; `limit` when left out' }),
  maxInFlight: z.int().min(1).meta({ description: 'Jobs that run at once' }),
};

export const limitsBody = z
  .strictObject({
    limit: limitFields.limit.optional(),
    perMs: limitFields.perMs.optional(),
    burst: limitFields.burst.optional(),
    maxInFlight: limitFields.maxInFlight.optional(),
  })
  .refine(
    hasPossibleRate,
    'must let through at least one job in 366 days, and at most 1,000,000,000 a second',
  )
  .meta({
    id: 'LimitsInput',
    description:
      '`limit` and `perMs` together, or `maxInFlight`, or all three. At least one token in 366 days, at most 1,000,000,000 a second',
  });

/** What is missing is told of by others. */
function hasPossibleRate({
  limit = 1,
  perMs = 1_000,
}: Partial<Record<'limit' | 'perMs', number | undefined>>) {
  const msPerToken = perMs / limit;
  return msPerToken <= MAX_MS_PER_TOKEN && msPerToken >= 1_000 / MAX_TOKENS_PER_SECOND;
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day, HH:MM');

const window = z
  .strictObject({
    zone: z.string().max(64).meta({ description: 'IANA time zone, such as Europe/Paris' }),
    days: z.array(z.int().min(1).max(7)).min(1).max(7).meta({ description: '1 Monday to 7 Sunday' }),
    from: timeOfDay,
    to: timeOfDay,
  })
  .meta({
    id: 'Window',
    description: 'Local hours in which jobs may start; `to` before `from` is on the next day',
  });

export const accountBody = z
  .strictObject({
    weight: z.number().min(0.001).max(1_000_000).optional(),
    windows: z
      .array(window)
      .min(1)
      .max(32)
      .nullable()
      .optional()
      .meta({ description: 'null takes them away' }),
  })
  .refine((body) => body.weight !== undefined || body.windows !== undefined, 'must set weight or windows');

export const accountsQuery = z.strictObject({
  sort: z.literal('oldest').optional().meta({ description: 'Longest waiting first; the default' }),
  search: z.string().min(1).max(256).optional().meta({ description: 'Beginning of an account id' }),
  ...listFields,
});

const time = z.iso.datetime();
const count = z.int().min(0);
export const limitsView = z
  .object({
    limit: z.number().nullable(),
    perMs: z.number().nullable(),
    burst: z.number().nullable(),
    maxInFlight: z.int().nullable(),
  })
  .meta({ id: 'Limits', description: 'null = unlimited' });

export const pauseView = z.object({ by: z.string(), at: time }).nullable();

export const accountView = z
  .object({
    account: z.string(),
    weight: z.number(),
    paused: pauseView.meta({ description: 'Who paused it and when' }),
    windows: z.array(window).nullable(),
    counts: stateCounts,
    gates: z.array(
      z.object({
        group: z.string(),
        limits: limitsView,
        tokens: z.number().nullable(),
        inFlight: count,
        opensAt: time.optional(),
        reason: z.enum(HELD_REASONS).optional(),
      }),
    ),
    lanes: z.array(
      z.object({
        queue: z.string(),
        group: z.string(),
        ready: count,
        held: count,
        oldestEligibleAgeMs: z.number().nullable(),
      }),
    ),
    nextRunAt: time.nullable(),
    estimatedDrainAt: time.nullable().meta({ description: 'null where it cannot be known' }),
    lastError: z.object({ jobId: z.string(), message: z.string(), at: time }).nullable(),
    lastCompletedAt: time.nullable(),
    explanation: z.string().meta({ description: 'Why nothing is sent, in one plain sentence' }),
  })
  .meta({ id: 'Account' });

export const listedAccount = z.object({
  account: z.string(),
  waiting: count.meta({ description: 'Jobs in its lanes' }),
  ready: count,
  held: count.meta({ description: 'Kept by a gate, or put off by a worker that has no handler for them' }),
  active: count,
  dead: count,
  oldestEligibleAgeMs: z.number().nullable(),
  oldestWaitingAgeMs: z.number(),
  nextRunAt: time
    .nullable()
    .meta({ description: 'When the next delayed job is due or the next gate may open' }),
  explanation: z.string().meta({ description: 'As in the view of the account' }),
});

export const accountList = pageOf(listedAccount).meta({ id: 'AccountList' });

export const limitsAnswer = z
  .object({ account: z.string(), group: z.string(), limits: limitsView })
  .meta({ id: 'LimitsAnswer' });

export const settingsAnswer = z
  .object({ account: z.string(), weight: z.number(), windows: z.array(window).nullable() })
  .meta({ id: 'AccountSettings' });

export const pauseAnswer = z.object({ account: z.string(), paused: pauseView }).meta({ id: 'AccountPause' });
