import type { JobState, Limits } from '../api/types.js';
import { formatCount } from './numbers.js';
import { formatPeriod } from './times.js';

/** Red asks for an act, amber is an unusual wait, blue runs, grey is ordinary. */
export type Tone = 'act' | 'wait' | 'run' | 'plain' | 'good';

interface Word {
  word: string;
  tone: Tone;
}

export const stateWords: Record<JobState, Word> = {
  scheduled: { word: 'scheduled', tone: 'plain' },
  ready: { word: 'ready', tone: 'plain' },
  held: { word: 'held', tone: 'plain' },
  active: { word: 'running', tone: 'run' },
  retrying: { word: 'will be retried', tone: 'wait' },
  completed: { word: 'completed', tone: 'good' },
  dead: { word: 'dead', tone: 'act' },
  cancelled: { word: 'cancelled', tone: 'plain' },
};

const reasonWords: Record<string, Word> = {
  rate_limit: { word: 'over its rate', tone: 'plain' },
  in_flight: { word: 'at its cap', tone: 'plain' },
  window: { word: 'outside its hours', tone: 'plain' },
  paused: { word: 'account paused', tone: 'act' },
  throttled: { word: 'slowed down by the provider', tone: 'wait' },
  group_total: { word: 'total of all accounts reached', tone: 'wait' },
  queue_paused: { word: 'queue paused', tone: 'act' },
  no_handler: { word: 'no worker can handle it', tone: 'act' },
};

const codeWords: Record<string, string> = {
  attempts_exhausted: 'every attempt failed',
  invalid_payload: 'payload not valid',
  rejected: 'rejected',
  unauthorized: 'access revoked',
  target_gone: 'recipient gone',
  throttled: 'slowed down for too long',
  timeout: 'took too long',
  crashed: 'worker crashed',
  unknown_outcome: 'outcome unknown',
  unreadable: 'payload unreadable',
  // Of attempts that are followed by another.
  aborted: 'told to stop',
  connect_failed: 'could not connect',
  connection_lost: 'connection lost',
  remote_error: 'provider failed',
  remote_unavailable: 'provider unavailable',
  transaction_conflict: 'conflict with another change',
  retry_requested: 'wants another attempt',
  effect_deferred: 'cannot tell yet whether it was done',
  stale_holder: 'taken over by another worker',
  ledger_unavailable: 'ledger of effects unavailable',
  unclassified: 'unexpected error',
};

/** What a failure is told as, `code: reason`, in words. */
export function errorWords(message: string): string {
  const [, code, reason] = /^([a-z_]+): (.+)$/s.exec(message) ?? [];
  const word = code === undefined ? undefined : codeWords[code];
  return word === undefined || reason === undefined ? message : `${word}: ${reason}`;
}

/** What each class of error means for the job. */
const classWords: Record<string, string> = {
  throttled: 'put off, not counted',
  retryable: 'may pass by itself',
  permanent: 'does not pass by itself',
  unknown: 'of an unknown kind',
};

const effectWords: Record<string, Word> = {
  started: { word: 'started', tone: 'run' },
  done: { word: 'done', tone: 'good' },
  not_applied: { word: 'not applied', tone: 'plain' },
  unknown: { word: 'outcome unknown', tone: 'act' },
};

/** In the order a job goes through them. */
export const jobStates = Object.keys(stateWords) as JobState[];

export function reasonWord(reason: string): Word {
  return reasonWords[reason] ?? { word: reason, tone: 'plain' };
}

export function codeWord(code: string): string {
  return codeWords[code] ?? code;
}

export function classWord(errorClass: string): string {
  return classWords[errorClass] ?? errorClass;
}

export function effectWord(state: string): Word {
  return effectWords[state] ?? { word: state, tone: 'plain' };
}

/** `60 a minute, burst 60, 5 at once` */
export function describeLimits({ limit, perMs, burst, maxInFlight }: Limits): string {
  const parts: string[] = [];
  if (limit !== null && perMs !== null) parts.push(`${formatCount(limit)} ${formatPeriod(perMs)}`);
  if (burst !== null && limit !== null && burst !== limit) parts.push(`burst ${formatCount(burst)}`);
  if (maxInFlight !== null) parts.push(`${formatCount(maxInFlight)} at once`);
  return parts.length === 0 ? 'no limit' : parts.join(', ');
}
