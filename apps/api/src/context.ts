import type { Audit } from './audit/audit-log.js';
import type { CursorSeal } from './http/cursor-seal.js';
import type { AppDeps } from './deps.js';
import type { EnqueueCounter } from './jobs/enqueue-counter.js';
import type { Documentation } from './openapi/documentation.js';

/** What handlers work with: what came from outside and what the app made of it. */
export interface AppContext extends AppDeps {
  readonly documentation: Documentation;
  readonly audit: Audit;
  readonly cursors: CursorSeal;
  /** Brings the metrics that all replicas tell alike up to date. */
  readonly readSharedMetrics: () => Promise<void>;
  readonly countEnqueued: EnqueueCounter;
}
