import { setTimeout as delay } from 'node:timers/promises';
import { within } from '@fairlane/sdk/internal';

/** A ledger that has not answered by then is asked again: every call of it can be. */
const ANSWER_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Asks the ledger until it answers, for `patienceMs` at most; then throws its last error. The first try is always
 * made, and none is started after that time.
 *
 * @param pause without `ref` a process that has nothing else to do ends while it waits.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  patienceMs: number,
  pause: { readonly ref?: boolean } = {},
): Promise<T> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await within(ask(), ANSWER_TIMEOUT_MS, noAnswer);
    } catch (error) {
      if (performance.now() + pauseMs >= giveUpAtMs) throw error;
      await delay(pauseMs, undefined, pause);
    }
  }
}

function noAnswer(): Error {
  return new DOMException(`the ledger did not answer within ${ANSWER_TIMEOUT_MS} ms`, 'TimeoutError');
}
