import { accountRoutes } from './accounts/routes.js';
import { blobRoutes } from './blobs/routes.js';
import { deadLetterRoutes } from './dead-letters/routes.js';
import { eventRoutes } from './events/routes.js';
import type { Route } from './http/route.js';
import { jobRoutes } from './jobs/routes.js';
import { operationRoutes } from './operations/routes.js';
import { queueRoutes } from './queues/routes.js';
import { readingRoutes } from './readings/routes.js';
import { scalingRoutes } from './scaling/routes.js';
import { systemRoutes } from './system/routes.js';
import { webhookEndpointRoutes } from './webhook-endpoints/routes.js';
import { workerRoutes } from './workers/routes.js';

/** Every route of the API. What is not here does not exist; access is decided by what stands in these tables. */
export const routes: readonly Route[] = [
  ...jobRoutes,
  ...blobRoutes,
  ...readingRoutes,
  ...webhookEndpointRoutes,
  ...deadLetterRoutes,
  ...operationRoutes,
  ...queueRoutes,
  ...eventRoutes,
  ...accountRoutes,
  ...workerRoutes,
  ...scalingRoutes,
  ...systemRoutes,
];
