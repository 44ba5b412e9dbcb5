export { createProducer, type Producer, type ProducerOptions } from './producer/producer.js';
export type { EnqueueResult, QueueFull } from './producer/enqueue-result.js';
export { Patience, type PatienceOptions } from './producer/patience.js';
export type { EnqueueOptions } from './producer/schedule.js';
export type { EffectSummary, JobView } from './views/job-view.js';
export type { EffectReader } from './views/read-job-view.js';
export type { QueueCounts } from './views/queue-counts.js';
export { InvalidOptionsError, UnavailableError } from './errors.js';
export { createConsumer, type Consumer, type ConsumerOptions } from './consumer/consumer.js';
export type { ConsumerHealth } from './consumer/health.js';
export type { ConsumerHooks } from './consumer/hooks.js';
export type { SweptLedger } from './dedup/ledger-sweeper.js';
export { plainEffects, type EffectRunner } from './consumer/effects.js';
export {
  createOperations,
  type CancelOutcome,
  type Operations,
  type OperationsOptions,
} from './operations/operations.js';
export type { AccountView } from './views/account-view.js';
export type {
  EffectDesk,
  EffectVerdict,
  PurgeOutcome,
  ReplayOutcome,
  ResolveOutcome,
} from './operations/dead-letters.js';
export type {
  BulkCancelOutcome,
  BulkCancelRequest,
  BulkFilter,
  BulkMatch,
  BulkOperation,
  BulkOutcome,
  BulkPreview,
  BulkReplayOutcome,
  BulkReplayRequest,
  CancelFilter,
  CancelMatch,
} from './operations/bulk/bulk-operation.js';
export { createBulkRunner, type BulkRunner, type BulkRunnerOptions } from './operations/bulk/bulk-runner.js';
export type { DeadCount } from './operations/count-dead-letters.js';
export type { DeadFilter } from './operations/dead-rows.js';
export type { DeadLetter, DeadLetterFilter } from './operations/list-dead-letters.js';
export type { StoredPayload } from './payloads/stored-payload.js';
export { isClaimCheck, type ClaimCheck } from './payloads/claim-check.js';
export type { JobFilter } from './operations/list-jobs.js';
export {
  createChangeFeed,
  type ChangeFeed,
  type ChangeFeedOptions,
  type NotedChange,
} from './changes/change-feed.js';
export {
  changesOf,
  isNothing,
  MAX_NAMED,
  mergeChanges,
  NO_CHANGES,
  type ChangedJob,
  type Changes,
} from './changes/changes.js';
export type { QueueSurroundings, Surroundings, Unhandled } from './workers/surroundings.js';
export { capacityOf, WORKER_STATUSES, type WorkerStatus, type WorkerView } from './workers/worker-view.js';
export { openQueues, type OpenQueuesOptions } from './open-queues.js';
export { createStatistics, type Statistics, type StatisticsOptions } from './statistics/statistics.js';
export type { Figures, Quantiles } from './statistics/figures.js';
export type { MinuteFigures } from './statistics/minute-reader.js';
export type { QueueState } from './statistics/surveyor.js';
export type { RedisSettings } from './redis/connections.js';
export type { QueueLogger } from './logging.js';
export { RepeatedErrors } from './repeated-errors.js';
export { isEnvelope, parseJobData, type Envelope } from './jobs/envelope.js';
