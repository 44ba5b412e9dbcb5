import type { Job } from '../../api/types.js';
import { codeWord, effectWord, stateWords } from '../../format/words.js';

export interface Happening {
  at: string;
  what: string;
}

/** What is known to have happened and what is to come, the latest first. */
export function timelineOf(job: Job): Happening[] {
  const { failures = [] } = job;
  const happenings: Happening[] = [{ at: job.createdAt, what: 'accepted' }];
  if (job.startedAt !== undefined) {
    happenings.push({ at: job.startedAt, what: `attempt ${startedAttempt(job, job.startedAt)} started` });
  }
  for (const { name, state, at } of job.effects) {
    happenings.push({ at, what: `effect ${name}: ${effectWord(state).word}` });
  }
  for (const { attempt, at, code, class: kind } of failures.toReversed()) {
    const how = kind === 'throttled' ? 'put off' : 'failed';
    happenings.push({ at, what: `attempt ${attempt} ${how}: ${codeWord(code)}` });
  }
  if (job.finishedAt !== undefined) {
    happenings.push({ at: job.finishedAt, what: stateWords[job.state].word });
  }
  if (job.nextRunAt !== undefined) happenings.push({ at: job.nextRunAt, what: 'may start' });
  // Stable, so that of one moment the later step stands above the earlier.
  return happenings.toReversed().toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** Which attempt began last: the one that has failed since, or else the one that runs or has ended the job. */
function startedAttempt({ state, attempts, failures = [] }: Job, startedAt: string): number {
  const since = failures.filter(({ at }) => Date.parse(at) >= Date.parse(startedAt));
  const first = since.at(-1);
  if (first !== undefined) return first.attempt;
  return Math.max(1, state === 'active' ? attempts.made + 1 : attempts.made);
}
