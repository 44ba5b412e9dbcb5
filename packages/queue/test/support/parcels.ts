import { createCatalogue, defineJob, defineLimitGroups, defineQueues, type RetryPolicy } from '@fairlane/sdk';
import { z } from 'zod';

const payload = z.object({
  accountId: z.string(),
  parcel: z.union([z.string(), z.array(z.string())]),
  note: z.string().optional(),
});

/** A job for tests: one parcel of an account, with a note that is not part of its key. */
export function defineParcelJob(
  options: {
    readonly name?: string;
    readonly onConflict?: 'reject' | 'first';
    readonly retry?: Partial<RetryPolicy>;
    readonly timeoutMs?: number;
    readonly version?: number;
  } = {},
) {
  const { name = 'parcel.send', ...rest } = options;
  return defineJob({
    name,
    payload,
    account: (p) => p.accountId,
    key: (p) => p.parcel,
    tag: (p) => p.note,
    queue: 'parcels',
    ...rest,
  });
}

export type ParcelJob = ReturnType<typeof defineParcelJob>;

export function parcelCatalogue(...jobs: readonly ParcelJob[]) {
  return createCatalogue({
    jobs,
    queues: defineQueues({ parcels: { slots: 5 }, letters: { slots: 1 } }, { rules: [{ queue: 'letters' }] }),
    limitGroups: defineLimitGroups({}),
  });
}
