import { z } from 'zod';

export const issue = z.object({ path: z.string(), message: z.string() }).meta({
  id: 'Issue',
  description: 'One thing wrong; the path as in `contacts[0].phone`, empty for the whole',
});

export const problem = z
  .object({
    type: z.string().meta({ description: 'Where the error is described' }),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'Stable; what a program decides by' }),
    detail: z.string().optional(),
    issues: z.array(issue).optional().meta({ description: 'What is wrong with the input' }),
    requestId: z.string(),
    id: z.string().optional().meta({ description: 'The job that holds the key' }),
    key: z.string().optional(),
  })
  .meta({ id: 'Problem' });
