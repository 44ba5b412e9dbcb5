import { useRedis } from '@fairlane/testkit/vitest';
import { FlowProducer, type Job } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from './support/lane-bench.js';
import { readQueueState } from './support/queue-state.js';

const redis = useRedis();
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis);
});
afterEach(async () => {
  await bench.close();
});

/**
 * So many accounts have a job each, and one that came before them two and `left` more: they are all active now but
 * those that are left.
 */
async function emptyLanes(accounts: number, left: number): Promise<Job[]> {
  const data = {};
  const names = ['large', 'large', ...Array.from({ length: left }, () => 'large')];
  for (let at = 0; at < accounts; at += 1) names.push(`small ${at}`);
  await bench.queue.addBulk(names.map((name) => ({ name, data, opts: { lane: { account: name } } })));
  const jobs: Job[] = [];
  while (jobs.length < accounts + 2) jobs.push((await bench.take())!);
  return jobs;
}

async function accountsInReady(): Promise<string[]> {
  return redis.client.zrange(`${bench.prefix}::q:queue:r:default`, '0', '-1');
}

async function calls(command: string): Promise<number> {
  const stats = await redis.client.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe('lanes that were emptied earlier', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['no account has limits', async () => undefined],
    ['another account has', async () => bench.lanes.setLimits('other', 'default', { maxInFlight: 1 })],
    [
      'the account served has',
      async () => bench.lanes.setLimits('large', 'default', { maxInFlight: 10, limit: 1_000, perMs: 1_000 }),
    ],
    [
      'a job of a priority is held',
      async () => {
        await bench.lanes.pause('paused', 'test');
        await bench.add('paused', 1, {}, { priority: 1 });
      },
    ],
    ['they have themselves', async () => bench.lanes.setLimits('small 7', 'default', { maxInFlight: 9 })],
  ])('are passed over and forgotten together by the call that comes to them, where %s', async (_, limit) => {
    await limit();
    await emptyLanes(300, 2);
    expect(await accountsInReady()).toHaveLength(301);
    await redis.client.config('RESETSTAT');
    expect((await bench.take())?.name).toBe('large');
    // One for each lane that is asked for a job, and a few for all of them.
    expect(await calls('rpoplpush')).toBe(301);
    expect(await calls('zrem')).toBeLessThan(20);
    expect(await accountsInReady()).toEqual(['large']);
    const known = await redis.client.zrange(`${bench.prefix}::q:queue:s`, '0', '-1');
    expect(known.filter((lane) => lane !== 'default:paused')).toEqual(['default:large']);
    expect(await readQueueState(redis.client, bench.prefix, 'queue')).toMatchObject({ n: 1, e: 1 });
  });

  it('hold a call up for a bounded time: the worker is told to ask again', async () => {
    await emptyLanes(1_500, 1);
    await redis.client.del(`${bench.prefix}:queue:marker`);
    const virtualTime = async () => (await readQueueState(redis.client, bench.prefix, 'queue'))!.v;
    const before = await virtualTime();
    expect(await bench.take()).toBeUndefined();
    // Those that are forgotten may not return with an earlier tag.
    expect(await virtualTime()).toBeGreaterThanOrEqual(before + 999);
    expect(await redis.client.zscore(`${bench.prefix}:queue:marker`, '0')).toBe('0');
    expect((await bench.take())?.name).toBe('large');
  });

  it('give an account that returns no earlier turn than it would have had', async () => {
    await emptyLanes(30, 3);
    // Virtual time has come to the tags of the others, and with them it goes on.
    expect((await bench.take())?.name).toBe('large');
    await bench.add('small 3', 3);
    expect(await bench.serve(5)).toEqual(['small 3', 'large', 'small 3', 'large', 'small 3']);
  });

  it('are not taken for those of jobs with a priority', async () => {
    await bench.add('A', 2);
    await bench.add('B', 1);
    await bench.add('B', 1, {}, { priority: 3 });
    expect(await bench.serve(9)).toEqual(['A', 'B', 'A', 'B']);
  });

  it('are not taken for those of a parent with a priority that waits since the same call', async () => {
    const [ended] = await emptyLanes(3, 2);
    const { connection, prefix, backend } = bench;
    const flows = bench.also(new FlowProducer({ connection, prefix }, backend));
    await flows.add({
      name: 'parent',
      queueName: 'queue',
      opts: { priority: 2, lane: { account: 'parent' } },
      children: [{ name: 'child', queueName: 'queue', opts: { lane: { account: 'child' } } }],
    });
    const child = (await bench.take())!;
    expect(child.name).toBe('child');
    const worker = bench.worker.getBackend();
    const replies = await Promise.all(
      [ended!, child].map(async (job) => worker.moveToCompleted(job, 'done', false, job.token!, true)),
    );
    expect(replies.map((reply) => (reply.result as unknown[])[0])).toMatchObject([
      { name: 'large' },
      { name: 'parent' },
    ]);
  });

  it('are forgotten by an idle queue, a bounded number with each call', async () => {
    const active = (await emptyLanes(300, 0)).slice(0, 20);
    const backend = bench.worker.getBackend();
    await Promise.all(
      active.map(async (job) => backend.moveToCompleted(job, 'done', false, job.token!, true)),
    );
    expect((await accountsInReady()).length).toBeGreaterThanOrEqual(200);
    for (let asked = 0; asked < 3; asked += 1) await bench.take();
    expect(await accountsInReady()).toEqual([]);
  });
});
