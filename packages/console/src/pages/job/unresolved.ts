import type { Effect, Job } from '../../api/types.js';

/** Whether a person has to say if an effect reached the outside: nobody else can tell. */
export function isUnresolved(
  { state }: Pick<Effect, 'state'>,
  job: Pick<Job, 'state' | 'lastError'>,
): boolean {
  if (state === 'unknown') return true;
  return state === 'started' && job.state === 'dead' && job.lastError?.code === 'unknown_outcome';
}
