import type { JobView } from '@fairlane/queue';
import type { Principal } from '@fairlane/runtime';

/** A job as its reader may see it: results, like payloads, are not for viewers. */
export function presentJob(job: JobView, { role }: Principal): Omit<JobView, 'result'> {
  if (role !== 'viewer') return job;
  const { result: _, ...view } = job;
  return view;
}

/** In a list: the last error stands for all, which a page of ten each would be mostly made of. */
export function presentListedJob(job: JobView, principal: Principal): Omit<JobView, 'result' | 'failures'> {
  const { failures: _, ...view } = presentJob(job, principal);
  return view;
}
