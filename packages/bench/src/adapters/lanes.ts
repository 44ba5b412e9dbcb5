import { createLaneBackend, createLanes, type Window } from '@fairlane/lanes';

import type { Adapter } from './adapter.js';
import { openBullMqQueue, openBullMqWorker, PREFIX, type BullMqOptions } from './bullmq-queue.js';

/** BullMQ with the lane backend and everything it keeps by default. */
const options: BullMqOptions = {
  backend: createLaneBackend(),
  jobOptions: (job) => ({ lane: { account: job.account } }),
};

const GROUP = 'default';

export const lanes: Adapter = {
  async openQueue(place) {
    const queue = await openBullMqQueue(place, options);
    const settings = createLanes({ connection: { host: '127.0.0.1', port: place.port }, prefix: PREFIX });
    return {
      ...queue,
      async limit(account, { openWindow, ...limits }) {
        await settings.setLimits(account, GROUP, limits);
        if (openWindow === true) await settings.setAccount(account, { windows: [windowAround(new Date())] });
      },
      async close() {
        await queue.close();
        await settings.close();
      },
    };
  },

  openWorker: (place, workerOptions) => openBullMqWorker(place, workerOptions, options),
};

/** Every day from six hours ago to six hours from now. */
function windowAround(now: Date): Window {
  const clock = (hours: number): string =>
    new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16);
  return { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: clock(-6), to: clock(6) };
}
