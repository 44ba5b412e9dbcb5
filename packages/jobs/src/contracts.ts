import { createCatalogue } from '@fairlane/sdk';
import { alertDispatch } from './alert-dispatch/contract.js';
import { outreachSend } from './outreach-send/contract.js';
import { limitGroups, queues } from './queues.js';
import { reportImport } from './report-import/contract.js';
import { webhookDeliver } from './webhook-deliver/contract.js';

export { alertDispatch, limitGroups, outreachSend, queues, reportImport, webhookDeliver };

/** Every contract of the product. Light: no handler and nothing a handler needs. */
export const contracts = [alertDispatch, outreachSend, reportImport, webhookDeliver] as const;

/** What API, workers and board know about the product's jobs. */
export const catalogue = createCatalogue({ jobs: contracts, queues, limitGroups });
