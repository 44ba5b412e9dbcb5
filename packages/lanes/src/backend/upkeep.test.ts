import { useRedis } from '@fairlane/testkit/vitest';
import { Queue, Worker } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { changeQueueState, readQueueState } from '../../test/support/queue-state.js';
import { createLaneBackend, createLanes } from '../index.js';

const redis = useRedis();

it.each([
  ['once in a while the lanes, and mends what it has kept', false, 3],
  ['no lanes where another process has just counted them', true, 99],
])('R7, R11: a worker that starts counts %s', async (_what, isCounted, found) => {
  const { url, prefix, client } = redis;
  const backend = createLaneBackend();
  const queue = new Queue('queue', { connection: { url }, prefix }, backend);
  const lanes = createLanes({ connection: url, prefix });
  onTestFinished(async () => {
    await Promise.all([queue.close(), lanes.close()]);
  });
  await lanes.pause('A', 'test');
  const job = { name: 'A', data: {}, opts: { lane: { account: 'A' } } };
  await queue.addBulk([job, job, job]);
  await changeQueueState(client, prefix, 'queue', { n: 99 });
  if (isCounted) await client.set(`${prefix}::upkeep:recounted`, '1');

  const worker = new Worker('queue', async () => undefined, { connection: { url }, prefix }, backend);
  await expect.poll(async () => client.exists(`${prefix}::upkeep`), { timeout: 5_000 }).toBe(1);
  // It ends its turn first.
  await worker.close();
  expect(await readQueueState(client, prefix, 'queue')).toMatchObject({ n: found });
});
