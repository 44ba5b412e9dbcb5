import { Queue, Worker, type Job } from 'bullmq';
import { startStopwatch, useRedis, type Stopwatch } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLaneBackend, createLanes, type Lanes } from '../index.js';

const redis = useRedis();
const backend = createLaneBackend({ groups: { email: { total: { limit: 1, perMs: 100 } } } });

interface Start {
  name: string;
  /** By the clock: nothing may start before its time. */
  at: number;
  /** By the stopwatch: what else the machine does makes nothing late. */
  ownMs: number;
}

let queue: Queue;
let lanes: Lanes;
let workers: Worker[];
let starts: Start[];
let watch: Stopwatch;

beforeEach(() => {
  const { url, prefix } = redis;
  queue = new Queue('queue', { connection: { url }, prefix }, backend);
  lanes = createLanes({ connection: url, prefix });
  workers = [];
  starts = [];
  watch = startStopwatch(redis.server.pid);
});

afterEach(async () => {
  await Promise.all([...workers, queue, lanes].map(async (each) => each.close()));
});

async function startWorker(run: (job: Job) => Promise<void> = async () => undefined): Promise<Worker> {
  const worker = new Worker(
    'queue',
    async (job) => {
      starts.push({ name: job.name, at: Date.now(), ownMs: watch.ownMs() });
      await run(job);
    },
    { connection: { url: redis.url }, prefix: redis.prefix, concurrency: 2, drainDelay: 60 },
    backend,
  );
  worker.on('error', () => undefined);
  workers.push(worker);
  await worker.waitUntilReady();
  return worker;
}

async function started(count: number): Promise<void> {
  await expect.poll(() => starts.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
}

/** The worker has looked once and found nothing: it blocks now. */
async function idle(count = 1): Promise<void> {
  await expect
    .poll(async () => Number(/blocked_clients:(\d+)/.exec(await redis.client.info('clients'))![1]))
    .toBeGreaterThanOrEqual(count);
}

/** ISO weekday. */
function dayAfterTomorrow(): number {
  return ((new Date().getUTCDay() + 1) % 7) + 1;
}

async function callsOfScripts(): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1] ?? 0);
}

async function commandsProcessed(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.client.info('stats'))![1]);
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

describe('waking', () => {
  it('R8: a job starts at once while a slot is free', async () => {
    await startWorker();
    const delays: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      await idle();
      const addedMs = watch.ownMs();
      await queue.add('A', {}, { lane: { account: 'A' } });
      await started(at + 1);
      delays.push(starts.at(-1)!.ownMs - addedMs);
    }
    expect(median(delays)).toBeLessThan(50);
  });

  it('R8: a job starts when its gate opens', async () => {
    await lanes.setLimits('A', 'default', { limit: 1, perMs: 200 });
    await startWorker();
    const addedAt = Date.now();
    await queue.addBulk(
      Array.from({ length: 8 }, () => ({ name: 'A', data: {}, opts: { lane: { account: 'A' } } })),
    );
    await started(8);
    for (const [nth, { at }] of starts.entries()) expect(at - addedAt).toBeGreaterThanOrEqual(200 * nth - 1);
    const gaps = starts.slice(1).map(({ ownMs }, index) => ownMs - starts[index]!.ownMs);
    expect(median(gaps)).toBeLessThan(250);
  });

  it('R8: a job starts when the total of its group allows it', async () => {
    await startWorker();
    for (const account of ['A', 'B', 'C']) {
      await queue.add(account, {}, { lane: { account, group: 'email' } });
    }
    await started(3);
    // A worker that is not woken looks again after 800 ms.
    expect(starts[2]!.ownMs - starts[0]!.ownMs).toBeLessThan(700);
  });

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['a pause ends', async () => lanes.pause('A', 'test'), async () => lanes.resume('A', 'test')],
    [
      'a window is removed',
      async () =>
        lanes.setAccount('A', {
          windows: [{ zone: 'UTC', days: [dayAfterTomorrow()], from: '01:00', to: '02:00' }],
        }),
      async () => lanes.setAccount('A', { windows: null }),
    ],
    [
      'a limit is lifted',
      async () => {
        await lanes.setLimits('A', 'default', { limit: 1, perMs: 3_600_000 });
        await queue.add('spends the token', {}, { lane: { account: 'A' } });
      },
      async () => lanes.removeLimits('A', 'default'),
    ],
  ])('R8: a job starts when %s', async (_what, close, open) => {
    await close();
    await startWorker();
    await idle();
    await queue.add('A', {}, { lane: { account: 'A' } });
    await expect
      .poll(async () => (await lanes.account('A')).counts)
      .toMatchObject({ held: 1, ready: 0, active: 0 });
    const openedMs = watch.ownMs();
    await open();
    await expect.poll(() => starts.at(-1)?.name).toBe('A');
    expect(starts.at(-1)!.ownMs - openedMs).toBeLessThan(500);
  });

  it('R8: a job starts when maxInFlight rises', async () => {
    await lanes.setLimits('A', 'default', { maxInFlight: 1 });
    const finish: (() => void)[] = [];
    await startWorker(
      async () =>
        new Promise<void>((resolve) => {
          finish.push(resolve);
        }),
    );
    await queue.add('first', {}, { lane: { account: 'A' } });
    await started(1);
    await queue.add('second', {}, { lane: { account: 'A' } });
    expect((await lanes.account('A')).counts.held).toBe(1);
    const raisedMs = watch.ownMs();
    await lanes.setLimits('A', 'default', { maxInFlight: 2 });
    await started(2);
    expect(starts[1]!.ownMs - raisedMs).toBeLessThan(500);
    finish.forEach((resolve) => resolve());
  });

  it('R7: an opening gate wakes one worker, however many are idle', async () => {
    const jobs = 60;
    await lanes.setLimits('A', 'default', { limit: 100, perMs: 1_000, burst: 1 });
    await Promise.all(Array.from({ length: 10 }, async () => startWorker()));
    await idle(10);
    const before = await callsOfScripts();
    await queue.addBulk(
      Array.from({ length: jobs }, () => ({ name: 'A', data: {}, opts: { lane: { account: 'A' } } })),
    );
    await started(jobs);
    // It is taken, and ended, a second slot asks in vain, and a few that were told find another one first.
    expect(((await callsOfScripts()) - before) / jobs).toBeLessThan(9);
  });

  it('R8: a worker that closes leaves to another one what it was to wake one for', async () => {
    const marker = `${redis.prefix}:queue:marker`;
    await lanes.setLimits('A', 'default', { limit: 1, perMs: 600_000 });
    const worker = await startWorker();
    await queue.add('A', {}, { lane: { account: 'A' } });
    await queue.add('A', {}, { lane: { account: 'A' } });
    await started(1);
    await expect.poll(async () => redis.client.zcard(marker)).toBe(0);
    await worker.close();
    const [member, due] = await redis.client.zrange(marker, '0', '0', 'WITHSCORES');
    expect(member).toBe('1');
    expect(Number(due)).toBeGreaterThan(Date.now() + 300_000);
  });

  it('R8: another worker takes over when the one that knew the time has died', async () => {
    await lanes.setLimits('A', 'default', { limit: 1, perMs: 1_500 });
    const first = await startWorker();
    await queue.add('A', {}, { lane: { account: 'A' } });
    await queue.add('A', {}, { lane: { account: 'A' } });
    await started(1);
    await startWorker();
    await first.close(true);
    await started(2);
    expect(starts[1]!.ownMs - starts[0]!.ownMs).toBeLessThan(1_500 + 1_000);
  });

  it('A14: delayed jobs run when due after the blocking connection was killed', async () => {
    await lanes.setLimits('A', 'default', { limit: 100, perMs: 1_000 });
    await startWorker();
    await idle();
    const due = Date.now() + 700;
    const dueMs = watch.ownMs() + 700;
    await queue.addBulk(
      Array.from({ length: 3 }, () => ({
        name: 'A',
        data: {},
        opts: { delay: 700, lane: { account: 'A' } },
      })),
    );
    const blocking = String(await redis.client.client('LIST'))
      .split('\n')
      .filter((line) => / cmd=bzpopmin/.test(line))
      .map((line) => /^id=(\d+)/.exec(line)![1]!);
    expect(blocking).toHaveLength(1);
    await redis.client.client('KILL', 'ID', blocking[0]!);
    await started(3);
    expect(starts[0]!.at).toBeGreaterThanOrEqual(due - 1);
    expect(starts[2]!.ownMs - dueMs).toBeLessThan(2_000);
  });

  it('R7, A16: held jobs start no attempt and cost few commands', async () => {
    await lanes.pause('A', 'test');
    await queue.addBulk(
      Array.from({ length: 5_000 }, () => ({ name: 'A', data: {}, opts: { lane: { account: 'A' } } })),
    );
    await startWorker();
    await idle();
    const before = await commandsProcessed();
    const since = Date.now();
    // Three turns of the audit: one more or less by the edge of the window must not decide.
    await expect.poll(() => Date.now() - since).toBeGreaterThan(9_000);
    const perSecond = ((await commandsProcessed()) - before) / ((Date.now() - since) / 1_000);
    expect(perSecond).toBeLessThan(20);
    expect(starts).toEqual([]);
    const [job] = await queue.getWaiting(0, 0);
    expect(job).toMatchObject({ attemptsStarted: 0, attemptsMade: 0 });
  });

  it('A26: a worker with nothing but held jobs closes at once', async () => {
    await lanes.pause('A', 'test');
    await queue.addBulk(
      Array.from({ length: 500 }, () => ({ name: 'A', data: {}, opts: { lane: { account: 'A' } } })),
    );
    const worker = await startWorker();
    await idle();
    const beforeMs = watch.ownMs();
    await worker.close();
    expect(watch.ownMs() - beforeMs).toBeLessThan(2_000);
    expect(await lanes.queueCounts('queue')).toMatchObject({ held: 500, active: 0 });
  });

  it('R9: ten jobs reach five idle workers', async () => {
    const waiting: (() => void)[] = [];
    for (let at = 0; at < 5; at += 1) {
      await startWorker(
        async () =>
          new Promise<void>((resolve) => {
            waiting.push(resolve);
          }),
      );
    }
    await idle(5);
    await queue.addBulk(
      Array.from({ length: 10 }, (_, at) => ({
        name: 'A',
        data: {},
        opts: { lane: { account: `a${at % 3}` } },
      })),
    );
    await started(10);
    waiting.forEach((resolve) => resolve());
  });
});
