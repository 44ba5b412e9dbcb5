/** How long a call may take to notice that it was aborted before its outcome counts as unknown. */
const ABORT_GRACE_MS = 250;
/** Longest chain of causes that is followed. */
const MAX_CAUSES = 8;

/** Runs something when so much time has passed; what it returns calls it off. */
export type Timer = (ms: number, run: () => void) => () => void;

/** A call to the outside that was told to stop and did: it may have been applied. */
export class CallAbortedError extends Error {
  override readonly name = 'CallAbortedError';
}

/**
 * Runs `call` with a signal that aborts with `parent` or after `timeoutMs`, and waits no longer than a moment
 * after that, so a call that ignores its signal holds nobody.
 *
 * @throws what `call` throws; CallAbortedError, with the reason as its cause, when it ends because it was aborted.
 */
export async function boundedCall<T>(
  call: (signal: AbortSignal) => Promise<T>,
  parent: AbortSignal,
  timeoutMs: number,
  after: Timer,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const timeout = new DOMException(`the call took longer than ${Math.ceil(timeoutMs)} ms`, 'TimeoutError');
  const stopTimer = after(timeoutMs, () => controller.abort(timeout));
  const follow = () => controller.abort(parent.reason);
  parent.addEventListener('abort', follow, { once: true });
  if (parent.aborted) follow();

  let stopGrace: (() => void) | undefined;
  const abandoned = new Promise<never>((_resolve, reject) => {
    const startGrace = () => {
      stopGrace = after(ABORT_GRACE_MS, () => reject(signal.reason as Error));
    };
    if (signal.aborted) startGrace();
    else signal.addEventListener('abort', startGrace, { once: true });
  });
  try {
    // In an async function, so that a call which is none and throws rejects too.
    return await Promise.race([(async () => call(signal))(), abandoned]);
  } catch (error) {
    // An answer that came with the abort still counts.
    if (!signal.aborted || !comesFrom(error, signal.reason)) throw error;
    throw new CallAbortedError('the call was aborted', { cause: signal.reason });
  } finally {
    stopTimer();
    stopGrace?.();
    parent.removeEventListener('abort', follow);
  }
}

function comesFrom(error: unknown, reason: unknown): boolean {
  let link = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (link === reason) return true;
    if (!(link instanceof Error)) return false;
    link = link.cause;
  }
  return false;
}
