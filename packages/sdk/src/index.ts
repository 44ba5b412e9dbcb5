// What a product team writes.
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
} from './contract/contract.js';
export { defineJob } from './contract/define-job.js';
export {
  implement,
  type Effect,
  type EffectCall,
  type EffectOptions,
  type Handler,
  type HandlerContext,
  type ImplementOptions,
  type JobImplementation,
  type JobInfo,
  type JobLogger,
  type LogMethod,
} from './contract/handler.js';

// What a deployment declares.
export { createCatalogue, type Catalogue } from './catalogue/catalogue.js';
export {
  defineLimitGroups,
  type LimitGroup,
  type LimitGroups,
  type Limits,
} from './catalogue/limit-groups.js';
export {
  defineQueues,
  type QueueDefinition,
  type Queues,
  type RoutedJob,
  type RoutingRule,
  type Slots,
  type WaitingBounds,
} from './catalogue/queues.js';

// What is read from a payload.
export { identify, jobIdOf, type JobIdentity } from './payload/identity.js';
export { parsePayload, readStoredPayload, type ParsedPayload } from './payload/payload.js';
export { maskSensitive, sensitiveFields } from './payload/sensitive.js';

// What went wrong, and what it means.
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
} from './errors/classification.js';
export { classifyError, classifyFailure, type ErrorTranslation } from './errors/classify-error.js';
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
} from './errors/errors.js';
export { HttpError, httpError, type HttpErrorOptions, type ResponseLike } from './errors/http-error.js';
export { parseRetryAfter } from './errors/retry-after.js';

// What follows: the decisions of workers, as pure functions.
export {
  decideEffect,
  DEFAULT_SETTLE_MS,
  type EffectSafety,
  type EffectState,
  type EffectStep,
} from './decisions/effect-decision.js';
export { decideFailure, type FailedAttempt, type FailureDecision } from './decisions/failure-decision.js';
export { nextDelayMs, retryDelayMs } from './decisions/retry.js';
export {
  DEAD_CODES,
  HELD_REASONS,
  JOB_STATES,
  type DeadCode,
  type HeldReason,
  type JobState,
} from './job-states.js';
