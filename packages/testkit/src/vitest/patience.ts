/**
 * How long a test waits for what has to come, ms. Far more than a busy machine of two processors takes: a
 * condition that holds costs no more, and one that never does fails a little later.
 */
export const PATIENCE_MS = 20_000;
