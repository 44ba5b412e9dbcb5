/** Largest payload of a job and largest JSON body, in bytes. More belongs in a claim check. */
export const MAX_JSON_BYTES = 64 * 1024;

/** Chunks of a batch (each at most 64 KiB) that are worked on at once, or whose answers wait for a slow reader. */
export const BATCH_WINDOW = 4;

/**
 * A batch that meets a full queue is read no further and waits, for as long as the queue drains; when nothing moves for
 * this long, its lines are refused. Well below the time after which an idle connection is closed.
 */
export const BATCH_FULL_WAIT_MS = 30_000;

/** Farthest a job may be scheduled ahead. */
export const MAX_DELAY_MS = 366 * 86_400_000;

/** Lowest priority BullMQ can keep apart. */
export const MAX_PRIORITY = 2_097_151;

/** A connection on which nothing moves in either direction for this long is closed. */
export const IDLE_CONNECTION_MS = 120_000;

/** Requests that still run this long after a stop signal are cut off. */
export const SHUTDOWN_DEADLINE_MS = 15_000;

/** What Redis has not answered by `timeoutMs` is answered with 503: clients are promised two seconds. */
export const PRODUCER_LIMITS = { timeoutMs: 1_500, maxPayloadBytes: MAX_JSON_BYTES };

/** A batch is in no hurry: on a machine under load its lines wait rather than be refused. */
export const BATCH_PRODUCER_LIMITS = { timeoutMs: 15_000, maxPayloadBytes: MAX_JSON_BYTES };
