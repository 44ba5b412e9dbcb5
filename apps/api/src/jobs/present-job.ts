import type { JobView } from '@fairlane/queue';
import type { Principal } from '@fairlane/runtime';
import { isOfOtherProducer } from './reach-job.js';

type ShownJob = JobView & { readonly readOnly?: true };

/** Says of another producer's job that it cannot be changed here. */
export function markOthers<T extends { readonly id: string }>(job: T): T & { readonly readOnly?: true } {
  return isOfOtherProducer(job.id) ? { ...job, readOnly: true } : job;
}

/** A job as its reader may see it: results, like payloads, are not for viewers. */
export function presentJob(job: JobView, { role }: Principal): Omit<ShownJob, 'result'> {
  const shown = markOthers(job);
  if (role !== 'viewer') return shown;
  const { result: _, ...view } = shown;
  return view;
}

/** In a list: the last error stands for all, which a page of ten each would be mostly made of. */
export function presentListedJob(job: JobView, principal: Principal): Omit<ShownJob, 'result' | 'failures'> {
  const { failures: _, ...view } = presentJob(job, principal);
  return view;
}
