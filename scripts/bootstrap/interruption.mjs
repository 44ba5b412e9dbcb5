import { constants } from 'node:os';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @type {Set<() => void | Promise<void>>} */
const cleanUps = new Set();
let uninterruptibleDepth = 0;
let interrupted = false;
/** @type {NodeJS.Signals | undefined} */
let pending;

/**
 * Registers what has to be undone when the command is interrupted.
 * @param {() => void | Promise<void>} cleanUp
 * @returns {() => void} forgets it again
 */
export function onInterruption(cleanUp) {
  cleanUps.add(cleanUp);
  return () => cleanUps.delete(cleanUp);
}

/** @param {NodeJS.Signals} signal */
function interrupt(signal) {
  if (uninterruptibleDepth > 0) {
    pending = signal;
    return;
  }
  interrupted = true;
  ignoreFurtherSignals();
  const undone = [...cleanUps].toReversed().map(async (cleanUp) => cleanUp());
  void Promise.allSettled(undone).then(() => process.exit(128 + constants.signals[signal]));
}

// A second Ctrl-C must not cut the clean-up short: it is bounded by itself.
function ignoreFurtherSignals() {
  for (const signal of SIGNALS) {
    process.removeListener(signal, interrupt);
    process.on(signal, () => undefined);
  }
}

/** Never resolves once the command is being interrupted: what was cut short must not be taken for a failure. */
export async function unlessInterrupted() {
  if (interrupted) await new Promise(() => undefined);
}

export function listenForInterruption() {
  for (const signal of SIGNALS) process.on(signal, interrupt);
}

/** Hands the signals over to a command that stops its own services. */
export function stopListening() {
  for (const signal of SIGNALS) process.removeListener(signal, interrupt);
}

/**
 * Runs a step that would leave a half-made state when cut short; a signal takes effect after it.
 * @template T
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function uninterruptible(step) {
  uninterruptibleDepth += 1;
  try {
    return await step();
  } finally {
    uninterruptibleDepth -= 1;
    if (uninterruptibleDepth === 0 && pending !== undefined) interrupt(pending);
  }
}
