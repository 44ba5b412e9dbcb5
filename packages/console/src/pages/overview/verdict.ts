import type { Queue } from '../../api/types.js';
import { formatDuration } from '../../format/times.js';
import type { Tone } from '../../format/words.js';

/** Work that may run and has not for this long is stuck; a burst's is picked up sooner. */
export const STUCK_MS = 60_000;

export interface Health {
  tone: Tone;
  word: string;
}

export function healthOf({ paused, oldestEligibleAgeMs: age }: Queue): Health {
  if (paused) return { tone: 'act', word: 'paused' };
  if (age !== null && age >= STUCK_MS) return { tone: 'act', word: 'stuck' };
  if (age !== null && age >= STUCK_MS / 6) return { tone: 'wait', word: 'slow' };
  return { tone: 'good', word: 'flowing' };
}

/** One sentence on the whole deployment: by the age of what may run, never by how much there is. */
export function verdictOf(queues: readonly Queue[], workers: number | undefined): Health {
  const stuck = queues
    .filter(({ oldestEligibleAgeMs: age }) => (age ?? 0) >= STUCK_MS)
    .toSorted((one, other) => (other.oldestEligibleAgeMs ?? 0) - (one.oldestEligibleAgeMs ?? 0));
  const paused = queues.filter((queue) => queue.paused).map(({ queue }) => queue);
  const noWorker = workers === 0 ? ', no worker is running' : '';
  const [worst] = stuck;
  if (worst !== undefined) {
    const oldest = formatDuration(worst.oldestEligibleAgeMs);
    const others = stuck.length > 1 ? ` and ${stuck.length - 1} more` : '';
    return {
      tone: 'act',
      word: `Work is stuck in ${worst.queue}${others}: the oldest has been able to run for ${oldest}${noWorker}.`,
    };
  }
  if (workers === 0) return { tone: 'act', word: 'Nothing can run: no worker is running.' };
  if (paused.length > 0) return { tone: 'act', word: `Paused for every account: ${paused.join(', ')}.` };
  return { tone: 'good', word: 'Work is flowing.' };
}
