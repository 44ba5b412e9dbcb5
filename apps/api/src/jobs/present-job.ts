import type { JobView } from '@fairlane/queue';
import type { Principal } from '@fairlane/runtime';
import { isOfOtherProducer } from './reach-job.js';

interface ShownJob extends JobView {
  readonly readOnly?: true;
}

/** A job as its reader may see it: results, like payloads, are not for viewers. */
export function presentJob(job: JobView, { role }: Principal): Omit<ShownJob, 'result'> {
  const shown: ShownJob = isOfOtherProducer(job.id) ? { ...job, readOnly: true } : job;
  if (role !== 'viewer') return shown;
  const { result: _, ...view } = shown;
  return view;
}

/** In a list: the last error stands for all, which a page of ten each would be mostly made of. */
export function presentListedJob(job: JobView, principal: Principal): Omit<ShownJob, 'result' | 'failures'> {
  const { failures: _, ...view } = presentJob(job, principal);
  return view;
}
