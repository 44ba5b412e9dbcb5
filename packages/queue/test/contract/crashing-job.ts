import { defineJob, httpError, implement } from '@fairlane/sdk';
import { z } from 'zod';

/** A job that says itself how its effect can be made sure of, so that another process can run it. */
export const crashingContract = defineJob({
  name: 'crash.survive',
  payload: z.object({
    accountId: z.string(),
    note: z.string(),
    /** The outside. */
    url: z.string(),
    safety: z.enum(['ask', 'repeat', 'none']),
  }),
  account: (p) => p.accountId,
  key: (p) => p.note,
  queue: 'parcels',
  retry: { attempts: 3, baseMs: 1, capMs: 2 },
});

export const crashingJob = implement(crashingContract, async ({ url, note, safety }, ctx) => {
  const call = async (method: string, key: string, signal: AbortSignal) => {
    const headers = { 'idempotency-key': key };
    const response = await fetch(`${url}/${note}`, { method, headers, signal });
    if (!response.ok) throw httpError(response);
    return (await response.json()) as { id?: string };
  };
  const { id } = await ctx.effect('print', {
    perform: ({ idempotencyKey, signal }) => call('POST', idempotencyKey, signal),
    ...(safety === 'ask'
      ? { alreadyApplied: ({ idempotencyKey, signal }) => call('GET', idempotencyKey, signal) }
      : {}),
    ...(safety === 'repeat' ? { repeatable: { keyTtlMs: 60_000 } } : {}),
    timeoutMs: 10_000,
  });
  return { id };
});
