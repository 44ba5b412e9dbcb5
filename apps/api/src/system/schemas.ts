import { z } from 'zod';

export const health = z
  .object({
    status: z.enum(['ok', 'failing']),
    checks: z.record(z.string(), z.string()).meta({ description: '`ok` or the reason, by check' }),
  })
  .meta({ id: 'Health' });
