import { z } from 'zod';

export const operationParams = z.object({ id: z.string().max(64) });

const count = z.int().min(0);

export const operationView = z
  .object({
    id: z.string(),
    kind: z.literal('replay'),
    state: z.enum(['running', 'done', 'cancelled']),
    matched: count,
    done: count.meta({ description: 'Replayed; what others have replayed or purged meanwhile is not in it' }),
    failed: count,
    by: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Operation' });
