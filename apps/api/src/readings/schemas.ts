import { alertDispatch } from '@fairlane/jobs/contracts';
import { z } from 'zod';

/** The payload of an alert, whether or not it comes to one. */
export const readingBody = alertDispatch.payload.refine(
  ({ accountId, host, mount }) => ![accountId, host, mount].some((text) => text.includes('\0')),
  'texts must not hold U+0000',
);

export const storedReading = z
  .object({
    status: z.literal('stored'),
    alert: z
      .object({ id: z.string(), status: z.enum(['accepted', 'duplicate']) })
      .nullable()
      .meta({ description: 'The job that alerts, when the disk is full; null when it is not' }),
  })
  .meta({ id: 'StoredReading' });
