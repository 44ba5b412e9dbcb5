import { createCatalogue, defineJob, defineLimitGroups, defineQueues } from '@fairlane/sdk';
import { z } from 'zod';

/** A job with a text of any size and a file, which are not part of its key. */
export const textJob = defineJob({
  name: 'text.send',
  payload: z.object({
    accountId: z.string(),
    parcel: z.string(),
    text: z.string().optional(),
    file: z.string().optional(),
  }),
  account: (p) => p.accountId,
  key: (p) => p.parcel,
  queue: 'parcels',
  sources: (p) => (p.file === undefined ? [] : [p.file]),
  retry: { attempts: 3, baseMs: 1, capMs: 10 },
});

export type Text = z.output<typeof textJob.payload>;

export const textCatalogue = createCatalogue({
  jobs: [textJob],
  queues: defineQueues({ parcels: { slots: 5 } }, { rules: [{ queue: 'parcels' }] }),
  limitGroups: defineLimitGroups({}),
});

/** Payloads in which the text has a size. */
export function text(bytes: number, more: Partial<Text> = {}): Text {
  return { accountId: 'acme', parcel: 'p-1', text: 'x'.repeat(bytes), ...more };
}
