import { createCatalogue } from '@fairlane/sdk';
import { outreachSend } from './outreach-send/contract.js';
import { limitGroups, queues } from './queues.js';

export { limitGroups, outreachSend, queues };

/** Every contract of the product. Light: no handler and nothing a handler needs. */
export const contracts = [outreachSend] as const;

/** What API, workers and board know about the product's jobs. */
export const catalogue = createCatalogue({ jobs: contracts, queues, limitGroups });
