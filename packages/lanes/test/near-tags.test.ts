import { useRedis } from '@fairlane/testkit/vitest';
import type { Job } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from './support/lane-bench.js';
import { changeQueueState } from './support/queue-state.js';

const redis = useRedis();
const JOB = 0x100000;
const ACCOUNTS = 20;
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis);
});
afterEach(async () => {
  await bench.close();
});

/** Jobs of an account that came first, to be ended by one call that takes the first jobs of the others in their place. */
async function takeJobs(): Promise<Job[]> {
  await bench.add('busy', ACCOUNTS);
  return Promise.all(Array.from({ length: ACCOUNTS }, async () => (await bench.take())!));
}

/** They come one after the other, so many steps apart. */
async function addAccounts(steps: number): Promise<void> {
  for (let at = 0; at < ACCOUNTS; at += 1) {
    await changeQueueState(redis.client, bench.prefix, 'queue', { v: 0, a: (at + 1) * steps });
    await bench.add(account(at), 2);
  }
  await changeQueueState(redis.client, bench.prefix, 'queue', { v: 0 });
}

function account(at: number): string {
  // By name they go in another order than they came.
  return `account ${String((at * 7) % ACCOUNTS).padStart(2, '0')}`;
}

/** In the order in which the call handed their jobs out. */
async function takenTogether(jobs: Job[]): Promise<unknown[]> {
  const backend = bench.worker.getBackend();
  const replies = await Promise.all(
    jobs.map(async (job) => backend.moveToCompleted(job, 'done', false, job.token!, true)),
  );
  return replies.map(({ result }) => (result as [{ name: string }])[0].name);
}

async function tags(): Promise<Map<string, number>> {
  const ready = await redis.client.zrange(`${bench.prefix}::q:queue:r:default`, '0', '-1', 'WITHSCORES');
  const pairs = ready.flatMap((name, at) => (at % 2 ? [] : [[name, Number(ready[at + 1])] as const]));
  return new Map(pairs.filter(([name]) => name !== 'busy'));
}

const inOrder = Array.from({ length: ACCOUNTS }, (_none, at) => account(at));

describe('accounts that a shared call serves', () => {
  it.each([1, 2, 1_000])('R6: keep their order, where they came %i steps apart', async (steps) => {
    const jobs = await takeJobs();
    await addAccounts(steps);
    expect(await takenTogether(jobs)).toEqual(inOrder);
    expect([...(await tags()).keys()]).toEqual(inOrder);
  });

  it('R6: pay for their jobs to a ten-thousandth, where their tags are near to each other', async () => {
    const jobs = await takeJobs();
    await addAccounts(2);
    const before = await tags();
    await takenTogether(jobs);
    for (const [name, tag] of await tags()) {
      expect(Math.abs(tag - before.get(name)! - JOB)).toBeLessThan(JOB / 10_000);
    }
  });

  it('R6: pay for them exactly, where their tags are not', async () => {
    const jobs = await takeJobs();
    await addAccounts(1_000);
    const before = await tags();
    await takenTogether(jobs);
    for (const [name, tag] of await tags()) expect(tag - before.get(name)!).toBe(JOB);
  });
});
