import type { Operations } from '@fairlane/queue';
import { BoardProblem } from '../http/problem.js';

/** The replay that the API does too, its refusals as the board answers them. */
export async function replayJob({ replay }: Pick<Operations, 'replay'>, id: string): Promise<void> {
  const outcome = await replay(id);
  if (outcome === 'unresolved_effect') throw new BoardProblem('unresolved_effect');
  if (outcome !== 'replayed') throw new BoardProblem('not_replayable');
}
