import {
  createCatalogue,
  defineJob,
  defineLimitGroups,
  defineQueues,
  implement,
  type Handler,
  type JobContract,
  type JobImplementation,
  type RetryPolicy,
} from '@fairlane/sdk';
import { z } from 'zod';

/** Base of the backoff, ms. With a draw of a half the waits are 100, 200, 400. */
export const BASE_MS = 200;

const payload = z.object({
  accountId: z.string(),
  note: z.string(),
  copies: z.int().default(1),
  extra: z.string().optional(),
});

/** A job for the cases: prints a note. */
export function noteJob(
  handler: Handler<typeof payload>,
  {
    retry = {},
    timeoutMs = 30_000,
  }: { readonly retry?: Partial<RetryPolicy>; readonly timeoutMs?: number } = {},
): JobImplementation {
  const contract = defineJob({
    name: 'note.print',
    payload,
    account: (p) => p.accountId,
    key: (p) => p.note,
    tag: (p) => p.extra,
    queue: 'parcels',
    timeoutMs,
    retry: { attempts: 4, baseMs: BASE_MS, capMs: 10_000, ...retry },
  });
  return implement(contract, handler);
}

export function contractCatalogue(contract: JobContract) {
  return createCatalogue({
    jobs: [contract],
    queues: defineQueues({ parcels: { slots: 5 } }, { rules: [{ queue: 'parcels' }] }),
    limitGroups: defineLimitGroups({}),
  });
}
