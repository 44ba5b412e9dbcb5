import { constants } from 'node:os';

/** How a command learns that it has to end, and how a part of it ends all of it. */
export interface Interruption {
  signal: AbortSignal;
  abort: (reason: Error) => void;
  /** The signal that the process got, if it was one. */
  received: () => NodeJS.Signals | undefined;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs one command of the command line. The first signal aborts `signal`, upon which the command stops
 * what it started and returns or throws; another one later ends the process at once, and the guards of its
 * children end those. Resolves with the exit code.
 */
export async function runCommand(command: (interruption: Interruption) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  let receivedAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (received !== undefined) {
      if (performance.now() - receivedAt > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal]);
      return;
    }
    received = signal;
    receivedAt = performance.now();
    controller.abort(new Error(`interrupted by ${signal}`));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await command({
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      received: () => received,
    });
  } catch (error) {
    if (received !== undefined) return 128 + constants.signals[received];
    const cause: unknown = controller.signal.aborted ? controller.signal.reason : error;
    process.stderr.write(`fairlane: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return 1;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
