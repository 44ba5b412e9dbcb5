/** Largest JSON body, in bytes, but for the payload of a single job; above it a body counts as large. */
export const MAX_JSON_BYTES = 64 * 1024;

/**
 * Large bodies (up to 32 MiB) that are received and worked on at once. Each is in memory several times: as bytes,
 * as text, as values and as text again.
 */
export const LARGE_BODIES_AT_ONCE = 2;

/** Uploads that are received at once; streamed, but one to S3 has 20 MB in memory. */
export const UPLOADS_AT_ONCE = 8;

/** Requests with large bodies that wait for one of these, each with at most 64 KiB in memory. */
export const MAX_WAITING_BODIES = 100;

/**
 * Longest line of a batch. {@link BATCH_WINDOW} of them are worked on at once in each batch, which bounds its memory; a
 * larger payload is handed in alone.
 */
export const MAX_LINE_BYTES = 1024 * 1024;

/** Chunks of a batch (each a line and 64 KiB at most) that are worked on at once, or whose answers wait for a slow reader. */
export const BATCH_WINDOW = 4;

/**
 * A batch that meets a full queue is read no further and waits, for as long as the queue drains; when nothing moves for
 * this long, its lines are refused. Well below the time after which an idle connection is closed.
 */
export const BATCH_FULL_WAIT_MS = 30_000;

/** Farthest a job may be scheduled ahead. */
export const MAX_DELAY_MS = 366 * 86_400_000;

/** Slowest rate that can be set: a token in this time. What is slower is a pause, and could not be told in tokens. */
export const MAX_MS_PER_TOKEN = 366 * 86_400_000;

/** Fastest rate that can be set: what is faster limits nothing. */
export const MAX_TOKENS_PER_SECOND = 1_000_000_000;

/** Lowest priority BullMQ can keep apart. */
export const MAX_PRIORITY = 2_097_151;

/** A connection on which nothing moves in either direction for this long is closed. */
export const IDLE_CONNECTION_MS = 120_000;

/** A connection whose request has not told all its headers by then is closed, within half as long again. */
export const HEADERS_TIMEOUT_MS = 30_000;

/** Requests that still run this long after a stop signal are cut off. */
export const SHUTDOWN_DEADLINE_MS = 15_000;

/** What Redis has not answered by `timeoutMs` is answered with 503: clients are promised two seconds. */
export const PRODUCER_LIMITS = { timeoutMs: 1_500 };

/** A batch is in no hurry: on a machine under load its lines wait rather than be refused. */
export const BATCH_PRODUCER_LIMITS = { timeoutMs: 15_000, maxPayloadBytes: MAX_LINE_BYTES };
