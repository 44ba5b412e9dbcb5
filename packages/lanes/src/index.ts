export { LaneBackend, createLaneBackend } from './backend.js';
export { LaneError, LANE_ERROR_CODES, type LaneErrorCode } from './errors.js';
export type { LaneJobsOptions, LaneOptions } from './lane-options.js';
export type { LaneBackendOptions } from './options.js';
export type { GroupLimits, Limits } from './limits.js';
export { laneScript, type ComposedScript } from './scripts.js';
