import { InvalidOptionsError } from '../errors.js';

/** When a job may run and before which others. */
export interface EnqueueOptions {
  /** Not before this time. */
  readonly runAt?: Date | undefined;
  /** Not before this many milliseconds from now; not together with `runAt`. */
  readonly delayMs?: number | undefined;
  /** 0 (first) to 2,097,151; default that of the contract. */
  readonly priority?: number | undefined;
}

export interface EnqueueSchedule {
  readonly dueAtMs: number | undefined;
  readonly delayMs: number;
  readonly priority: number | undefined;
}

/** Furthest a job can be scheduled ahead; BullMQ keeps times in 41 bits. */
export const MAX_DELAY_MS = 5 * 366 * 86_400_000;
const MAX_PRIORITY = 2_097_151;

/** @throws InvalidOptionsError */
export function readSchedule({ runAt, delayMs, priority }: EnqueueOptions): EnqueueSchedule {
  if (runAt !== undefined && delayMs !== undefined) {
    throw new InvalidOptionsError('give runAt or delayMs, not both');
  }
  const dueAtMs = runAt?.getTime();
  if (dueAtMs !== undefined && !(dueAtMs <= Date.now() + MAX_DELAY_MS)) {
    throw new InvalidOptionsError('runAt must be a valid date at most five years ahead');
  }
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    throw new InvalidOptionsError('delayMs must be a number from 0 to five years');
  }
  if (
    priority !== undefined &&
    !(Number.isSafeInteger(priority) && priority >= 0 && priority <= MAX_PRIORITY)
  ) {
    throw new InvalidOptionsError(`priority must be a whole number from 0 to ${MAX_PRIORITY}`);
  }
  return { dueAtMs, delayMs: delayMs ?? 0, priority };
}
