// Compiled, not run: types flow from the schema, and what cannot be meant is refused.
import { classifyError, defineJob, defineLimitGroups, defineQueues, implement } from '@fairlane/sdk';
import { createTestJob, type TestJob } from '@fairlane/sdk/testing';
import { z } from 'zod';

export const queues = defineQueues({ bulk: { slots: { min: 1, max: 3 } } }, { rules: [{ queue: 'bulk' }] });
export const groups = defineLimitGroups({ email: { default: { limit: 10, perMs: 1_000 } } });

export const invoicePrint = defineJob({
  name: 'invoice.print',
  payload: z.object({ accountId: z.string(), copies: z.number().int() }),
  account: (p) => p.accountId,
  // @ts-expect-error the payload has no such field
  key: (p) => [p.invoiceId],
});
export const handler = implement(invoicePrint, async (payload, ctx) => {
  const copies: number = payload.copies;
  // @ts-expect-error a number
  const wrong: string = payload.copies;
  ctx.logger.info({ copies, wrong }, 'printing');
  return { pages: await ctx.effect('print', { perform: async () => copies }) };
});

export async function use(): Promise<string> {
  // @ts-expect-error a field is missing
  createTestJob(handler, { accountId: 'acme' });
  const job: TestJob<typeof invoicePrint.payload, { pages: number }> = createTestJob(handler, {
    accountId: 'acme',
    copies: 1,
  });
  await job.run();
  return `${job.result?.pages} ${classifyError(new Error('x')).class}`;
}
