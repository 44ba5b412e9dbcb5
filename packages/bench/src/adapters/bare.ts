import type { Adapter } from './adapter.js';
import { openBullMqQueue, openBullMqWorker } from './bullmq-queue.js';

/** BullMQ as it is installed, without accounts. */
export const bare: Adapter = {
  openQueue: (place) => openBullMqQueue(place),
  openWorker: (place, options) => openBullMqWorker(place, options),
};
