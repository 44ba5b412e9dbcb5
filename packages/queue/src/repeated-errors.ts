import { describeError, type QueueLogger } from './logging.js';

/** An error that goes on is told again after this long. */
const TELL_AGAIN_MS = 30_000;
/** Different errors that are remembered at most; beyond, all are forgotten and so told once more. */
const MOST_REMEMBERED = 100;

/**
 * Keeps an outage from filling the log: while Redis is away each loop of a worker fails twice a second, each request
 * of the API once, for the same reason. The first is told at once, then one in half a minute with how many were not.
 */
export class RepeatedErrors {
  readonly #seen = new Map<string, { toldMs: number; untold: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Fields for the log line of this error, or undefined when it is not to be written. */
  tell(error: string): { repeated?: number } | undefined {
    const nowMs = this.#nowMs();
    const seen = this.#seen.get(error);
    if (seen !== undefined && nowMs - seen.toldMs < TELL_AGAIN_MS) {
      seen.untold += 1;
      return undefined;
    }
    if (this.#seen.size >= MOST_REMEMBERED) this.#seen.clear();
    this.#seen.set(error, { toldMs: nowMs, untold: 0 });
    return seen === undefined || seen.untold === 0 ? {} : { repeated: seen.untold };
  }
}

/** A queue or a worker of BullMQ. */
interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Logs the errors of a queue's connections. Without a listener an `error` event would end the process (A39). */
export function logErrors(source: ErrorSource, logger: QueueLogger, queue: string, message: string): void {
  const errors = new RepeatedErrors();
  source.on('error', (error) => {
    const told = errors.tell(error.message);
    if (told !== undefined) {
      logger.error({ queue, ...describeError(error), ...told }, message);
    }
  });
}
