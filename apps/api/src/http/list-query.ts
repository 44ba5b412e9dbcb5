import { z } from 'zod';

const pageSize = 'must be a whole number from 1 to 500';

/** What every list takes. */
export const listFields = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, pageSize)
    .transform(Number)
    .refine((value) => value >= 1 && value <= 500, pageSize)
    .optional()
    .meta({ description: 'Items a page, from 1 to 500; 50 when left out' }),
  cursor: z.string().max(8_000).optional().meta({ description: 'From the page before' }),
};

/** A page of items. */
export function pageOf<S extends z.ZodType>(item: S) {
  return z.object({
    items: z.array(item),
    cursor: z.string().nullable().meta({ description: 'For the next page; null at the end' }),
  });
}
