import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLanes } from '../src/index.js';
import { LaneBench } from './support/lane-bench.js';

const HOUR_MS = 3_600_000;
const redis = useRedis();
let bench: LaneBench | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await bench?.close();
});

async function serverMs(): Promise<number> {
  const [seconds = 0, micros = 0] = await redis.client.time();
  return seconds * 1_000 + micros / 1_000;
}

/** Only what the process takes for the time is wrong; its timers go on. */
function setClock(offMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
}

function timeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

function openLanes() {
  return createLanes({ connection: redis.url, prefix: redis.prefix });
}

describe.each([
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])('a process whose clock is %s', (_what, offMs) => {
  it('R8: delays a job by the clock of the server', async () => {
    bench = new LaneBench(redis);
    await bench.add('acme', 1);
    setClock(offMs);
    const job = (await bench.take())!;
    bench.nowMs = Math.floor(await serverMs());
    await bench.worker.getBackend().moveToDelayed(job.id!, Date.now(), 30_000, job.token!);
    const score = await redis.client.zscore(`${bench.prefix}:queue:delayed`, job.id!);
    expect(Math.floor(Number(score) / 0x1000)).toBe(bench.nowMs + 30_000);
    bench.nowMs += 29_999;
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1;
    expect((await bench.take())?.id).toBe(job.id);
  });

  it('R6: keeps jobs that are delayed to one millisecond in the order in which they were', async () => {
    bench = new LaneBench(redis);
    await bench.add('acme', 3);
    const jobs = [(await bench.take())!, (await bench.take())!, (await bench.take())!].toReversed();
    setClock(offMs);
    const backend = bench.worker.getBackend();
    for (const job of jobs) await backend.moveToDelayed(job.id!, Date.now(), 30_000, job.token!);
    bench.nowMs += 30_000;
    for (const job of jobs) expect((await bench.take())?.id).toBe(job.id);
  });

  it('R5: computes windows from the time of the server', async () => {
    const lanes = openLanes();
    const now = await serverMs();
    const days = [1, 2, 3, 4, 5, 6, 7];
    // Of which the wrong clock says that it is over, or has not begun.
    const window = { zone: 'UTC', days, from: timeOfDay(now - 60_000), to: timeOfDay(now + 300_000) };
    setClock(offMs);
    await lanes.setAccount('acme', { windows: [window] });
    await lanes.close();
    bench = new LaneBench(redis);
    bench.nowMs = Math.floor(await serverMs());
    await bench.add('acme', 1);
    expect(await bench.take()).toBeDefined();
  });
});

describe('the time at which a job was started', () => {
  const delayMs = 500;
  /** As it is kept, where the worker asked so much earlier, by its clock, than the server answers. */
  async function startedAt(askedMsAgo: number): Promise<{ processedOn: number; due: number }> {
    bench = new LaneBench(redis);
    const [job] = await bench.add('acme', 1, {}, { delay: delayMs });
    const due = job!.timestamp + delayMs;
    bench.nowMs = due;
    vi.useFakeTimers({ toFake: ['Date'], now: due - askedMsAgo });
    const taken = (await bench.take())!;
    const kept = await redis.client.hget(`${bench.prefix}:queue:${taken.id!}`, 'processedOn');
    expect(Number(kept)).toBe(taken.processedOn);
    return { processedOn: Number(kept), due };
  }

  it.each([0, 1, 20])(
    'R8: is not before the job was due, though its worker asked %i ms earlier',
    async (askedMsAgo) => {
      const { processedOn, due } = await startedAt(askedMsAgo);
      expect(processedOn).toBe(due);
    },
  );

  it.each([-1, 21, HOUR_MS])(
    'R4: is when the worker asked, by its clock, where that is no request ago (%i ms)',
    async (askedMsAgo) => {
      const { processedOn, due } = await startedAt(askedMsAgo);
      expect(processedOn).toBe(due - askedMsAgo);
    },
  );
});

describe('a process whose clock is three days ahead', () => {
  it('keeps what ended just now for its whole retention', async () => {
    bench = new LaneBench(redis);
    await bench.add('acme', 1);
    const job = (await bench.take())!;
    await job.moveToCompleted('ok', job.token!, false);
    setClock(72 * HOUR_MS);
    const lanes = openLanes();
    expect(await lanes.trim('queue', 'completed', { ageMs: 24 * HOUR_MS })).toBe(0);
    await lanes.close();
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ completed: 1 });
  });
});
