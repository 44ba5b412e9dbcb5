/** Stable codes of the errors this package throws. */
export const LANE_ERROR_CODES = [
  'invalid_lane',
  'invalid_limits',
  'invalid_windows',
  'invalid_weight',
  'undeclared_group',
  'unsupported_bullmq',
  'unknown_command',
  'mixed_fleet',
] as const;

/** One of {@link LANE_ERROR_CODES}. */
export type LaneErrorCode = (typeof LANE_ERROR_CODES)[number];

/** What lanes refuse; decide by `code`, the message is for people. */
export class LaneError extends Error {
  override readonly name = 'LaneError';

  constructor(
    readonly code: LaneErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
