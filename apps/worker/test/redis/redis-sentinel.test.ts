import { connectRedis, createLogger, redisUrl } from '@fairlane/runtime';
import { startRedis, startSentinel, type RedisServer, type Sentinel } from '@fairlane/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOutreachJobs } from '../support/outreach-jobs.js';
import { openOutside } from '../support/outside.js';
import { startWorker } from '../support/worker-process.js';

let master: RedisServer;
let replica: RedisServer;
let sentinel: Sentinel;

beforeAll(async () => {
  master = await startRedis({ appendfsync: 'everysec', config: { 'repl-diskless-sync-delay': '0' } });
  replica = await startRedis({ config: { replicaof: `127.0.0.1 ${master.port}` } });
  sentinel = await startSentinel({ masterPort: master.port, replicas: 1 });
});
afterAll(async () => {
  await sentinel.stop();
  await replica.stop();
  await master.stop();
});

test(
  'R1 A31: after a failover by Sentinel a worker and a producer go on; what the replica had is not lost',
  { timeout: 120_000 },
  async () => {
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`;
    const prefix = '{fairlane}';
    await using outside = await openOutside();
    outside.answer(200);
    const jobs = openOutreachJobs(redisUrl.parse(url), prefix);
    await using worker = await startWorker('shipped', {
      REDIS_URL: url,
      FAIRLANE_PREFIX: prefix,
      OUTREACH_GATEWAY_URL: outside.url,
      WORKER_QUEUES: 'outreach:5-5',
      WORKER_LEASE_MS: '5000',
    });
    const first = await jobs.enqueue(20);
    await expect.poll(async () => new Set(await jobs.statesOf(first))).toEqual(new Set(['completed']));
    // Held until the failover is over, so that the new master is the one that hands them out.
    await jobs.producer.queueCounts('outreach');
    worker.signal('SIGSTOP');
    const second = await jobs.enqueue(200);
    const logger = createLogger({ app: 'test', level: 'silent' });
    const direct = connectRedis(master.url, { name: 'test', logger });
    await new Promise((resolve) => direct.once('ready', resolve));
    // Replication is asynchronous: only what was copied survives the loss of the master.
    await expect.poll(() => direct.wait(1, 500), { timeout: 30_000 }).toBe(1);
    direct.disconnect();
    await master.kill();
    worker.signal('SIGCONT');

    await expect.poll(() => sentinel.masterPort(), { timeout: 30_000 }).toBe(replica.port);
    const third = await untilAccepted(() => jobs.enqueue(20));
    const ids = [...first, ...second, ...third];
    await expect
      .poll(async () => new Set(await jobs.statesOf(ids)), { timeout: 30_000 })
      .toEqual(new Set(['completed']));
    expect(new Set(await jobs.attemptsMade(ids))).toEqual(new Set([1]));
    expect(outside.calls()).toBe(ids.length);
    expect((await worker.check('/healthz')).status).toBe(200);
    await jobs.close();
  },
);

async function untilAccepted(enqueue: () => Promise<string[]>): Promise<string[]> {
  let ids: string[] = [];
  await expect
    .poll(
      async () => {
        ids = await enqueue().catch(() => []);
        return ids.length;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);
  return ids;
}
