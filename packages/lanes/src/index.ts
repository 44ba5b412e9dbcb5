export {
  LaneBackend,
  createBackendFactory,
  createLaneBackend,
  type DefiningClient,
  type LaneBackendArguments,
} from './backend.js';
export { Lanes, createLanes, type AuditReport, type FinishedState, type Retention } from './lanes.js';
export type { AccountSummary, QueueCounts, QueueSurvey } from './lane-views.js';
export type { LanesOptions } from './lane-client.js';
export { LaneError, LANE_ERROR_CODES, type LaneErrorCode } from './errors.js';
export {
  HELD_REASONS,
  type AccountView,
  type GateView,
  type HeldReason,
  type LaneView,
} from './account-view.js';
export { LISTED_STATES, type JobFilter, type ListedJob, type ListedState } from './job-list.js';
export type { Page } from './cursor.js';
export type { LaneConnection } from './connection.js';
export type { LaneJobsOptions, LaneOptions } from './lane-options.js';
export type { LaneBackendOptions } from './options.js';
export { checkLimits, type GroupLimits, type Limits } from './limits.js';
export { HORIZON_DAYS, checkWindows, openIntervals, type OpenInterval, type Window } from './windows.js';
export { ownKeyOfBase } from './keys.js';
export { customScript, laneScript, laneScripts, type ComposedScript } from './scripts.js';
export type { BullScript } from './bull-scripts.js';
