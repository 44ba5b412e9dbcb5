import { z } from 'zod';

const MOST_REPLICAS = 1_000;
const MOST_QUEUES = 64;

function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
}

export const scalingQuery = z
  .strictObject({
    queues: z
      .string()
      .max(4_000)
      .transform((text) => text.split(','))
      .refine((names) => names.length <= MOST_QUEUES, `must be at most ${MOST_QUEUES} queues`)
      .optional()
      .meta({ description: 'Queues that the workers serve, with commas between; all when left out' }),
    min: wholeNumber(0, MOST_REPLICAS).default(1),
    max: wholeNumber(1, MOST_REPLICAS).default(10),
    targetAgeMs: wholeNumber(1_000, 86_400_000)
      .default(60_000)
      .meta({ description: 'How long a job that could start may wait' }),
    format: z.enum(['json', 'plain']).optional().meta({ description: '`plain`: the number alone, as text' }),
  })
  .refine(({ min, max }) => min <= max, { path: ['min'], message: 'must not be above max' });

export const scalingAnswer = z
  .object({
    desiredReplicas: z.int().min(0),
    reason: z.string().meta({ description: 'One sentence' }),
  })
  .meta({ id: 'Scaling' });
