import { FairlaneError } from '@fairlane/sdk';

/**
 * Redis did not answer in time. What was to be enqueued is refused and does not appear later, with one exception that
 * `mayHaveRun` names: the connection broke after the command was sent, so it may have been carried out without an
 * answer. Submitting again is always safe: a job that was accepted is then answered as a duplicate.
 */
export class UnavailableError extends FairlaneError {
  readonly mayHaveRun: boolean;

  constructor(message: string, { mayHaveRun, cause }: { mayHaveRun: boolean; cause?: unknown }) {
    super('unavailable', message, cause === undefined ? undefined : { cause });
    this.mayHaveRun = mayHaveRun;
  }
}

/** An option of `enqueue` that cannot be meant: a delay that is not a number, a priority out of range. */
export class InvalidOptionsError extends FairlaneError {
  constructor(message: string) {
    super('invalid_options', message);
  }
}

/** Reply codes of our own scripts; BullMQ's go down to -9. */
export const SCRIPT_CODES = { notThatDeath: -102 } as const;
