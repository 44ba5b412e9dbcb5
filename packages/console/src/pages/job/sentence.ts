import type { Job } from '../../api/types.js';
import { codeWord, reasonWord } from '../../format/words.js';
import { formatAbsolute } from '../../format/times.js';
import { isUnresolved } from './unresolved.js';

type Told = Pick<Job, 'state' | 'reason' | 'nextRunAt' | 'lastError' | 'attempts' | 'effects' | 'finishedAt'>;

/** What is to be known of a job first. */
export function sentenceOf(job: Told): string {
  const { state, reason, nextRunAt, lastError, attempts } = job;
  const unresolved = job.effects.filter((effect) => isUnresolved(effect, job)).length;
  const at = nextRunAt === undefined ? '' : ` at ${formatAbsolute(Date.parse(nextRunAt))}`;
  if (unresolved > 0 && state === 'dead') {
    return 'It may have reached the outside. It is not repeated until a person says whether it did.';
  }
  switch (state) {
    case 'scheduled':
      return at === '' ? 'It waits for its time.' : `It starts${at}.`;
    case 'ready':
      return 'It may start and waits for its turn.';
    case 'held':
      return `It waits: ${reason === undefined ? 'its gate is closed' : reasonWord(reason).word}.${at === '' ? '' : ` It may start${at}.`}`;
    case 'active':
      return 'It is running.';
    case 'retrying':
      if (lastError?.class === 'throttled') {
        return `It was put off, no attempt was spent; it is tried again${at === '' ? ' later' : at}. Reason given: ${lastError.message}`;
      }
      return `Attempt ${attempts.made} of ${attempts.max} failed; the next is${at === '' ? ' to come' : at}.`;
    case 'completed':
      return 'It is done.';
    case 'dead':
      return `It failed for good: ${lastError === undefined ? 'the reason is not known' : codeWord(lastError.code)}. It does not run again unless someone replays it.`;
    default:
      return 'It was cancelled and does not run.';
  }
}
