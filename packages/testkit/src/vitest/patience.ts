/**
 * How long a test waits for what has to come, ms. Far more than a busy machine of two processors takes: a
 * condition that holds costs no more, and one that never does fails a little later.
 */
export const PATIENCE_MS = 30_000;

/** The same for the start of a process, which compiles its sources first: seconds of a processor that it may not have. */
export const START_PATIENCE_MS = 2 * PATIENCE_MS;
