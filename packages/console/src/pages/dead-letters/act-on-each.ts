import { ApiError } from '../../api/client.js';
import { countOf, formatCount } from '../../format/numbers.js';

export interface Outcome {
  done: number;
  /** Codes of those that were refused for themselves. */
  refused: string[];
}

/** A page's worth, one request each. Where one is refused for itself (another was quicker) the others may still go. */
export async function actOnEach(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, refused: [] };
  for (const id of ids) {
    try {
      await act(id);
      outcome.done += 1;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
      outcome.refused.push(error.code);
    }
  }
  return outcome;
}

/** `2 dead letters replayed. 1 left out: ...` */
export function describeOutcome({ done, refused }: Outcome, verb: string): string {
  const unknown = refused.filter((code) => code === 'unresolved_effect').length;
  const gone = refused.length - unknown;
  const left =
    unknown > 0 ? ` ${formatCount(unknown)} left out: their outcome is unknown, resolve it first.` : '';
  return `${countOf(done, 'dead letter')} ${verb}.${left}${gone > 0 ? ` ${formatCount(gone)} ${gone === 1 ? 'was' : 'were'} no longer dead.` : ''}`;
}
