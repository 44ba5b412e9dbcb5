import type { Checks, Logger, Registry, TokenRecord } from '@fairlane/runtime';
import type { Blobs } from '@fairlane/blobs';
import type { WebhookEndpoints } from '@fairlane/jobs/webhooks';
import type { Lanes } from '@fairlane/lanes';
import type { Readings } from '@fairlane/ledger/readings';
import type { Catalogue } from '@fairlane/sdk';
import type { ChangeFeed, Operations, Producer, Statistics } from '@fairlane/queue';

import type { EventHub } from './events/event-hub.js';

/** All that the app needs from outside; `main.ts` opens it, tests build it around their own Redis. */
export interface AppDeps {
  readonly producer: Producer;
  /** With a connection of its own, so that the many commands of a batch delay no single job. */
  readonly batchProducer: Producer;
  readonly operations: Operations;
  /** For looks at queues. */
  readonly lanes: Lanes;
  readonly statistics: Statistics;
  /** Tells the readers of events what people have done. */
  readonly changes: ChangeFeed;
  readonly events: EventHub;
  /** Where large payloads and files lie; undefined where no store is configured. */
  readonly blobs: Blobs | undefined;
  readonly readings: Readings;
  /** Where accounts have their webhooks sent. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** Whether webhooks may go to addresses inside the own network. */
  readonly allowPrivateTargets: boolean;
  readonly catalogue: Catalogue;
  readonly tokens: readonly TokenRecord[];
  readonly logger: Logger;
  /** For a line a request; default `logger`. */
  readonly requestLogger?: Logger;
  readonly registry: Registry;
  readonly readyz: Checks;
}
