export { createBackendFactory, createLaneBackend } from './backend/backend-factory.js';
export { LaneBackend, type DefiningClient, type LaneBackendArguments } from './backend/backend.js';
export { Lanes, createLanes, type AuditReport, type FinishedState, type Retention } from './lanes.js';
export type { AccountSummary, QueueCounts, QueueSurvey } from './views/lane-views.js';
export type { LanesOptions } from './redis/lane-client.js';
export { LaneError, LANE_ERROR_CODES, type LaneErrorCode } from './errors.js';
export {
  HELD_REASONS,
  type AccountView,
  type GateView,
  type HeldReason,
  type LaneView,
} from './views/account-view.js';
export { LISTED_STATES, type JobFilter, type ListedJob, type ListedState } from './views/job-list.js';
export type { Page } from './views/cursor.js';
export type { LaneConnection } from './redis/connection.js';
export type { LaneJobsOptions, LaneOptions } from './settings/lane-options.js';
export type { LaneBackendOptions } from './backend/options.js';
export { checkLimits, type GroupLimits, type Limits } from './settings/limits.js';
export {
  HORIZON_DAYS,
  checkWindows,
  openIntervals,
  type OpenInterval,
  type Window,
} from './settings/windows.js';
export { ownKeyOfBase } from './redis/keys.js';
export { customScript, laneScript, laneScripts, type ComposedScript } from './scripts/lane-scripts.js';
export type { BullScript } from './scripts/bull-scripts.js';
