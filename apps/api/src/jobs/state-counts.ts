import { JOB_STATES, type JobState } from '@fairlane/sdk';
import { z } from 'zod';

const count = z.int().min(0);
const counts = Object.fromEntries(JOB_STATES.map((state) => [state, count])) as Record<
  JobState,
  typeof count
>;

export const stateCounts = z.object(counts).meta({ id: 'StateCounts', description: 'Jobs by state' });
