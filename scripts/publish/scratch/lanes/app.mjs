// An application of its own: three accounts in one queue, one worker with one slot.
import { createLaneBackend, createLanes } from '@fairlane/lanes';
import { Queue, Worker } from 'bullmq';

const connection = { url: process.env.REDIS_URL };
const prefix = '{scratch}';
const backend = createLaneBackend({ groups: { email: {} } });
const queue = new Queue('outreach', { connection, prefix }, backend);
const lanes = createLanes({ connection, prefix });
const JOBS = { large: 60, small: 6, limited: 8 };

await lanes.setLimits('limited', 'email', { limit: 5, perMs: 3_600_000 });
for (const [account, count] of Object.entries(JOBS)) {
  const opts = { lane: { account, group: 'email' } };
  await queue.addBulk(Array.from({ length: count }, () => ({ name: account, data: {}, opts })));
}

/** @type {string[]} accounts in the order in which they were served */
const served = [];
const worker = new Worker('outreach', async (job) => served.push(job.name), { connection, prefix }, backend);

/** @param {number} count */
const until = async (count) => {
  while (served.length < count) {
    await new Promise((resolve) => {
      worker.once('completed', resolve);
    });
  }
};
await until(JOBS.large + JOBS.small + 5);
const { counts, gates } = await lanes.account('limited');
const atLimit = { served: [...served], held: counts.held, reason: gates[0].reason };
await lanes.removeLimits('limited', 'email');
await until(JOBS.large + JOBS.small + JOBS.limited);

await worker.close();
const completed = await queue.getCompletedCount();
await Promise.all([queue.close(), lanes.close()]);
process.stdout.write(
  JSON.stringify({ atLimit, completed, loadedFrom: import.meta.resolve('@fairlane/lanes') }),
);
