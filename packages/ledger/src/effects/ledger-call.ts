import { setTimeout as delay } from 'node:timers/promises';

/** A ledger that has not answered by then is asked again: every call of it can be. */
const ANSWER_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Asks the ledger until it answers, for `patienceMs` at most; then throws its last error. The first try is always
 * made, and none is started after that time.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, patienceMs: number): Promise<T> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await withTimeout(ask(), ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (performance.now() + pauseMs >= giveUpAtMs) throw error;
      await delay(pauseMs);
    }
  }
}

async function withTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new DOMException(`the ledger did not answer within ${timeoutMs} ms`, 'TimeoutError');
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
