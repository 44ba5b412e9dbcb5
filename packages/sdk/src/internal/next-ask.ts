/** Between two questions to an outside that could not tell. */
const MIN_ASK_PAUSE_MS = 1_000;
const MAX_ASK_PAUSE_MS = 60_000;

/**
 * Milliseconds until the outside is asked again after it could not tell. Less and less often: the pause grows with the
 * time that the question has been open.
 *
 * @param random gives a number in [0, 1), as `Math.random` does.
 */
export function nextAskMs(openForMs: number, random: () => number): number {
  return Math.min(Math.max(openForMs, MIN_ASK_PAUSE_MS), MAX_ASK_PAUSE_MS) * (0.5 + random());
}
