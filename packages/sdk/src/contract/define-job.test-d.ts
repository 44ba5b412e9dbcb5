import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import {
  createCatalogue,
  defineJob,
  defineLimitGroups,
  defineQueues,
  identify,
  implement,
  parsePayload,
  type JobContract,
  type JobImplementation,
  type KeyPart,
  type Payload,
  type PayloadInput,
} from '../index.js';

const payload = z.object({
  accountId: z.string(),
  step: z.int(),
  channel: z.enum(['email', 'sms']),
  copies: z.int().default(1),
  campaign: z.string().optional(),
});

interface Parsed {
  accountId: string;
  step: number;
  channel: 'email' | 'sms';
  copies: number;
  campaign?: string | undefined;
}

const job = defineJob({
  name: 'outreach.send',
  payload,
  account: (p) => {
    expectTypeOf(p).toEqualTypeOf<Parsed>();
    return p.accountId;
  },
  key: (p) => [p.step, p.channel],
  limitGroup: (p) => p.channel,
  tag: (p) => p.campaign,
});

// The name stays a literal and the schema its own type, all the way through.
expectTypeOf(job).toEqualTypeOf<JobContract<'outreach.send', typeof payload>>();
expectTypeOf<Payload<typeof job>>().toEqualTypeOf<Parsed>();
// What a producer hands in need not name defaults.
expectTypeOf<PayloadInput<typeof job>>().toExtend<{ copies?: number | undefined }>();
expectTypeOf<ReturnType<typeof job.key>>().toEqualTypeOf<readonly KeyPart[]>();

const implementation = implement(job, async (p, ctx) => {
  expectTypeOf(p).toEqualTypeOf<Parsed>();
  expectTypeOf(ctx.attempt).toBeNumber();
  const sent = await ctx.effect('send', {
    perform: async ({ idempotencyKey, reference, signal }) => {
      expectTypeOf({ idempotencyKey, reference }).toEqualTypeOf<{
        idempotencyKey: string;
        reference: string;
      }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return { id: 'm1' };
    },
    alreadyApplied: async () => undefined,
  });
  expectTypeOf(sent).toEqualTypeOf<{ id: string }>();
  return { messageId: sent.id };
});
expectTypeOf(implementation).toExtend<
  JobImplementation<'outreach.send', typeof payload, { messageId: string }>
>();

// Any contract and any implementation fit where all kinds of jobs are handled alike.
const contracts: readonly JobContract[] = [job];
const implementations: readonly JobImplementation[] = [implementation];
createCatalogue({
  jobs: contracts,
  queues: defineQueues({ a: { slots: 1 } }),
  limitGroups: defineLimitGroups({}),
});
void implementations;

const parsed = parsePayload(job, {});
if (parsed.ok) expectTypeOf(parsed.payload).toEqualTypeOf<Parsed>();
// @ts-expect-error -- not known to be accepted yet
void parsed.payload;

// A payload of another shape does not compile.
// @ts-expect-error -- step is a number
identify(job, { accountId: 'a', step: '1', channel: 'email', copies: 1 });
// @ts-expect-error -- fax is not a channel
identify(job, { accountId: 'a', step: 1, channel: 'fax', copies: 1 });
// @ts-expect-error -- accountId is missing
identify(job, { step: 1, channel: 'email', copies: 1 });

const base = {
  name: 'a.b',
  payload,
  account: (p: Parsed) => p.accountId,
  key: (p: Parsed) => p.step,
} as const;
defineJob(base);
// @ts-expect-error -- no such field
defineJob({ ...base, key: (p) => p.leadId });
// @ts-expect-error -- an optional field may be missing, so it is no key
defineJob({ ...base, key: (p: Parsed) => [p.campaign] });
// @ts-expect-error -- an object is no part of a key
defineJob({ ...base, key: (p: Parsed) => [{ step: p.step }] });
// @ts-expect-error -- an account is a text
defineJob({ ...base, account: (p: Parsed) => p.step });
// @ts-expect-error -- neither of the two rules
defineJob({ ...base, onConflict: 'last' });
// @ts-expect-error -- a misspelt field
defineJob({ ...base, retry: { attemps: 3 } });
// @ts-expect-error -- contracts are read only
job.priority = 1;

implement(job, async (p) => {
  // @ts-expect-error -- no such field
  void p.leadId;
});
// @ts-expect-error -- a handler is asynchronous
implement(job, () => 1);

implement(job, async (_p, ctx) => {
  await ctx.effect('send', {
    perform: async () => ({ id: 'm1' }),
    // @ts-expect-error -- must give what perform gives
    alreadyApplied: async () => ({ id: 1 }),
  });
});

defineQueues({ fast: { slots: 1 } }, { rules: [{ queue: 'fast' }] });
// @ts-expect-error -- no such queue
defineQueues({ fast: { slots: 1 } }, { rules: [{ queue: 'slow' }] });
expectTypeOf(defineLimitGroups({ email: {} })).toHaveProperty('default');
