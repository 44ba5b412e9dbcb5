export type { LedgerPatience } from './effects/claim.js';
export { createEffectRunner, type EffectRunnerOptions } from './effects/effect-runner.js';
export type { EffectOutcome } from './effects/effect-outcome.js';
export { LedgerUnavailableError, StaleHolderError } from './errors.js';
export {
  EFFECT_STATES,
  type BeginReply,
  type BeginRequest,
  type EffectLedger,
  type EffectState,
  type EffectView,
  type KeptResult,
  type RecordRequest,
  type RepeatRequest,
  type ResolveReply,
  type ResolveRequest,
  type SweepReply,
  type SweepRequest,
  type Unsettled,
} from './ledger.js';
export { ledgerChoice, openLedger, type LedgerChoice } from './open-ledger.js';
export { migrateLedger } from './postgres/migrate.js';
export { createPostgresLedger, type PostgresLedgerOptions } from './postgres/postgres-ledger.js';
export { createRedisLedger, type RedisLedgerOptions } from './redis/redis-ledger.js';
export { MAX_KEPT_BYTES as MAX_RESULT_BYTES } from '@fairlane/sdk/internal';
