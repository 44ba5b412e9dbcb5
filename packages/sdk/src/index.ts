export { createCatalogue, type Catalogue } from './catalogue.js';
export {
  CLASSIFICATION,
  ERROR_CLASSES,
  ERROR_CODES,
  PERMANENT_CODES,
  type Applied,
  type Classification,
  type ErrorClass,
  type ErrorCode,
  type PermanentCode,
} from './classification.js';
export { classifyError, classifyFailure } from './classify-error.js';
export {
  DEFAULT_RETRY_POLICY,
  type JobContract,
  type JobDefinition,
  type KeyPart,
  type OnConflict,
  type Payload,
  type PayloadInput,
  type PayloadUpgrade,
  type RetryPolicy,
} from './contract.js';
export { defineJob } from './define-job.js';
export {
  decideEffect,
  DEFAULT_SETTLE_MS,
  type EffectSafety,
  type EffectState,
  type EffectStep,
} from './effect-decision.js';
export {
  DefinitionError,
  EffectDeferredError,
  EffectMisuseError,
  FairlaneError,
  PayloadError,
  PermanentError,
  RetryableError,
  ThrottledError,
  UnknownOutcomeError,
  VersionAheadError,
  type PayloadIssue,
} from './errors.js';
export { decideFailure, type FailedAttempt, type FailureDecision } from './failure-decision.js';
export {
  implement,
  type Effect,
  type EffectCall,
  type EffectOptions,
  type ErrorTranslation,
  type Handler,
  type HandlerContext,
  type ImplementOptions,
  type JobImplementation,
  type JobInfo,
  type JobLogger,
  type LogMethod,
} from './handler.js';
export { HttpError, httpError, type HttpErrorOptions, type ResponseLike } from './http-error.js';
export { identify, jobIdOf, type JobIdentity } from './identity.js';
export {
  DEAD_CODES,
  HELD_REASONS,
  JOB_STATES,
  type DeadCode,
  type HeldReason,
  type JobState,
} from './job-states.js';
export { defineLimitGroups, type LimitGroup, type LimitGroups, type Limits } from './limit-groups.js';
export { parsePayload, readStoredPayload, type ParsedPayload } from './payload.js';
export {
  defineQueues,
  type QueueDefinition,
  type Queues,
  type RoutedJob,
  type RoutingRule,
  type Slots,
  type WaitingBounds,
} from './queues.js';
export { nextDelayMs, retryDelayMs } from './retry.js';
export { parseRetryAfter } from './retry-after.js';
export { maskSensitive, sensitiveFields } from './sensitive.js';
