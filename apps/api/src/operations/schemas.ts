import { z } from 'zod';

export const operationParams = z.object({ id: z.string().max(64) });

const count = z.int().min(0);

export const operationView = z
  .object({
    id: z.string(),
    kind: z.enum(['replay', 'cancel']),
    state: z.enum(['running', 'done', 'cancelled']),
    matched: count,
    done: count.meta({
      description:
        'Replayed, or cancelled (running jobs end soon after); what others have done meanwhile is not in it',
    }),
    failed: count,
    skipped: count.optional().meta({
      description:
        'Of a cancel that is done: matched, but ended or in another state when their turn had come',
    }),
    by: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Operation' });

export const operationList = z
  .object({ items: z.array(operationView), cursor: z.null() })
  .meta({ id: 'OperationList' });
