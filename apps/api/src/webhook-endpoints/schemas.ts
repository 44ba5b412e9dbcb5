import { isWebhookSecret, MAX_URL_CHARS } from '@fairlane/jobs/webhooks';
import { z } from 'zod';

export const endpointParams = z.object({
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .meta({ description: 'Chosen by the caller' }),
});

export const endpointBody = z.strictObject({
  accountId: z.string().min(1).max(256),
  url: z.string().min(1).max(MAX_URL_CHARS),
  secret: z
    .string()
    .max(128)
    .refine(isWebhookSecret, 'must be whsec_ and 24 to 64 bytes in base64')
    .optional()
    .meta({ description: 'What deliveries are signed with. Left out: it stays, or a new one is made' }),
  disabled: z
    .boolean()
    .optional()
    .meta({ description: 'Left out: as it is, but for a new URL, which begins enabled' }),
});

export const endpointView = z
  .object({
    id: z.string(),
    accountId: z.string(),
    url: z.string(),
    secret: z.string().meta({
      description: 'In full only in the answer that tells a secret that was made here; masked ever after',
    }),
    disabled: z.boolean(),
    disabledReason: z.string().optional(),
    disabledAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'WebhookEndpoint' });
