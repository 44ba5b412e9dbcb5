// What blobs, ledger, queue and the driver of tests have in common. No promise to anybody else.
export { boundedReason } from '../errors/classification.js';
export { describeIssues } from '../errors/errors.js';
export { issuesOf } from '../payload/payload.js';
export { boundedCall, CallAbortedError, type Timer } from './bounded-call.js';
export type { EffectRunner, EffectScope } from './effect-runner.js';
export { EffectNames, MAX_EFFECTS_PER_ATTEMPT } from './effect-names.js';
export { MAX_RESULT_BYTES, storableResult } from './job-result.js';
export {
  externalIdOf,
  keepResult,
  MAX_KEPT_BYTES,
  replayResult,
  resolvedResult,
  type KeptResult,
} from './kept-result.js';
export { nextAskMs } from './next-ask.js';
export { OpenEffects } from './open-effects.js';
export { within } from './within.js';
