// A contract, its handler and one job in memory that fails once, crashes once and ends.
import { defineJob, httpError, implement } from '@fairlane/sdk';
import { createTestJob } from '@fairlane/sdk/testing';
import { z } from 'zod';

const invoicePrint = defineJob({
  name: 'invoice.print',
  payload: z.object({ accountId: z.string(), invoiceId: z.string() }),
  account: (p) => p.accountId,
  key: (p) => [p.invoiceId],
});
const answers = [503, 200];
const handler = implement(invoicePrint, async (payload, ctx) => {
  const page = await ctx.effect('print', {
    perform: async ({ idempotencyKey }) => {
      const response = new Response(JSON.stringify({ count: 3, idempotencyKey }), {
        status: answers.shift() ?? 500,
      });
      if (!response.ok) throw httpError(response, { from: 'the printer', notApplied: [503] });
      return response.json();
    },
    repeatable: { keyTtlMs: 86_400_000 },
  });
  return { invoice: payload.invoiceId, pages: page.count };
});

const job = createTestJob(handler, { accountId: 'acme', invoiceId: '7' }).crashAt('before_finish');
const state = await job.run();
process.stdout.write(
  JSON.stringify({
    state,
    result: job.result,
    performed: job.effects.print?.performed,
    outcomes: job.starts.map(({ outcome }) => outcome),
    loadedFrom: import.meta.resolve('@fairlane/sdk'),
  }),
);
