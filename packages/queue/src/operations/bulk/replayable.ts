import type { Backends } from '../../backend/open-backends.js';
import { UnavailableError } from '../../errors.js';
import type { EffectReader } from '../../views/read-job-view.js';
import { openEffects } from '../dead-letters.js';
import { listDeadLetters, type DeadLetter, type DeadLetterFilter } from '../list-dead-letters.js';

export interface ReplayablePage {
  readonly letters: readonly DeadLetter[];
  /** Left out of them, since a person must speak first. */
  readonly unresolved: number;
  /** Null at the end. */
  readonly cursor: string | null;
}

/** A page of dead letters without those that wait for a person's word. */
export async function replayablePage(
  { queues, backendOf }: Backends,
  effects: EffectReader | undefined,
  filter: DeadLetterFilter,
): Promise<ReplayablePage> {
  const { items, cursor } = await listDeadLetters(queues.map(backendOf), filter);
  if (effects === undefined) return { letters: items, unresolved: 0, cursor };
  const waits = await Promise.all(items.map(async (letter) => isUnresolved(letter, effects)));
  const letters = items.filter((_letter, at) => waits[at] !== true);
  return { letters, unresolved: items.length - letters.length, cursor };
}

async function isUnresolved({ id, code }: DeadLetter, effects: EffectReader): Promise<boolean> {
  try {
    return openEffects(await effects.effects(id), code).length > 0;
  } catch (cause) {
    throw new UnavailableError('the ledger of effects did not answer', { mayHaveRun: false, cause });
  }
}
