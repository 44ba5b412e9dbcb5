/** Every state a job can be in, in the order of its life. `completed`, `dead` and `cancelled` are ends (R1). */
export const JOB_STATES = [
  'scheduled',
  'ready',
  'held',
  'active',
  'retrying',
  'completed',
  'dead',
  'cancelled',
] as const;
/** One of {@link JOB_STATES}. */
export type JobState = (typeof JOB_STATES)[number];

/** Why a ready job is not running (R13). A held job shows the reason of the gate that opens last. */
export const HELD_REASONS = [
  'rate_limit',
  'in_flight',
  'window',
  'paused',
  'throttled',
  'group_total',
  'queue_paused',
  'no_handler',
] as const;
/** What a held job waits for: one of {@link HELD_REASONS}. */
export type HeldReason = (typeof HELD_REASONS)[number];

/** Why a job ended without success. Stable: products show them, dashboards group by them. */
export const DEAD_CODES = [
  'attempts_exhausted',
  'invalid_payload',
  'rejected',
  'unauthorized',
  'target_gone',
  'throttled',
  'timeout',
  'crashed',
  'unknown_outcome',
  'unreadable',
] as const;
/** Why a job is dead: one of {@link DEAD_CODES}. */
export type DeadCode = (typeof DEAD_CODES)[number];
