import { createLaneBackend } from '@fairlane/lanes';

import type { Adapter } from './adapter.js';
import { openBullMqQueue, openBullMqWorker, type BullMqOptions } from './bullmq-queue.js';

/** BullMQ with the lane backend and everything it keeps by default. */
const options: BullMqOptions = {
  backend: createLaneBackend(),
  jobOptions: (job) => ({ lane: { account: job.account } }),
};

export const lanes: Adapter = {
  openQueue: (place) => openBullMqQueue(place, options),
  openWorker: (place, workerOptions) => openBullMqWorker(place, workerOptions, options),
};
