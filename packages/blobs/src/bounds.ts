/** A larger payload goes to the blob store, and only its claim check to Redis. */
export const MAX_INLINE_BYTES = 64 * 1024;
/** Largest payload of a job, wherever it is kept: it is parsed in one piece. */
export const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;
/** Largest source that is uploaded for a job to stream. */
export const MAX_SOURCE_BYTES = 1024 * 1024 * 1024;

/** How long a payload is held for the job that is about to be submitted. */
export const PAYLOAD_HOLD_MS = 10 * 60_000;
/** How long an upload waits for a job that names it. */
export const UPLOAD_HOLD_MS = 24 * 3_600_000;
/** How often it is asked again whether an owner whose hold ran out still needs its blob. */
export const RENEW_MS = 3_600_000;
/**
 * Age from which a stored object that nobody registered counts as left behind. Above every hold, so that an upload
 * still under way is never taken for one.
 */
export const ORPHAN_AGE_MS = 2 * UPLOAD_HOLD_MS;
