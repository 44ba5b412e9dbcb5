import type { Audit } from './audit/audit-log.js';
import type { CursorSeal } from './http/cursor-seal.js';
import type { AppDeps } from './deps.js';
import type { EnqueueCounter } from './jobs/enqueue-counter.js';
import type { OpenApiDocument } from './openapi/document.js';

/** What handlers work with: what came from outside and what the app made of it. */
export interface AppContext extends AppDeps {
  readonly document: OpenApiDocument;
  readonly docsPage: string;
  readonly audit: Audit;
  readonly cursors: CursorSeal;
  /** Brings the metrics that all replicas tell alike up to date. */
  readonly readSharedMetrics: () => Promise<void>;
  readonly countEnqueued: EnqueueCounter;
}
