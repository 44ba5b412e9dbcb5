import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis, { groups: { email: {} } });
});

afterEach(async () => {
  await bench.close();
});

describe('an account', () => {
  it('shows its settings, gates, lanes and counts', async () => {
    await bench.lanes.setAccount('A', { weight: 3 });
    await bench.lanes.setLimits('A', 'email', { limit: 2, perMs: 1_000, burst: 4, maxInFlight: 9 });
    await bench.add('A', 6, { group: 'email' });
    await bench.add('A', 2);
    await bench.add('A', 1, {}, { delay: 7_200_000 });
    const running = [];
    for (let at = 0; at < 5; at += 1) {
      running.push((await bench.take())!);
    }
    await bench.finish(running.pop()!);
    const broken = running.pop()!;
    await broken.moveToFailed(new Error('mailbox full'), broken.token!, false);
    const view = await bench.lanes.account('A');
    expect(view).toMatchObject({
      account: 'A',
      weight: 3,
      paused: null,
      windows: null,
      counts: { active: 3, delayed: 1, failed: 1, completed: 1 },
      lastError: { jobId: broken.id, queue: 'queue', message: 'mailbox full' },
    });
    expect(view.counts.ready + view.counts.held).toBe(3);
    const email = view.gates.find((gate) => gate.group === 'email')!;
    expect(email).toMatchObject({ limits: { intervalMs: 500, burst: 4, maxInFlight: 9 } });
    expect(email.tokens).toBeLessThan(4);
    expect(view.lastCompletedAt).toEqual(expect.any(Number));
  });

  it('names the gate that opens last and when, and when it will have drained', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000 });
    await bench.add('A', 4);
    await bench.take();
    const view = await bench.lanes.account('A');
    expect(view.gates[0]).toMatchObject({ reason: 'rate_limit', opensAt: bench.nowMs + 1_000 });
    expect(view.nextRunAt).toBe(bench.nowMs + 1_000);
    expect(view.estimatedDrainAt).toBe(bench.nowMs + 3_000);
    await bench.lanes.closeGateFor('A', 'default', 60_000);
    expect((await bench.lanes.account('A')).gates[0]).toMatchObject({
      reason: 'throttled',
      opensAt: bench.nowMs + 60_000,
    });
    expect((await bench.lanes.account('A')).estimatedDrainAt).toBeNull();
  });

  it("names the total of a group where that closes the account's gate", async () => {
    await bench.close();
    bench = new LaneBench(redis, { groups: { email: { total: { limit: 1, perMs: 60_000, burst: 1 } } } });
    await bench.add('A', 1, { group: 'email' });
    await bench.add('B', 1, { group: 'email' });
    expect((await bench.take())?.name).toBe('A');
    const gate = (await bench.lanes.account('B')).gates.find((each) => each.group === 'email');
    expect(gate).toMatchObject({ reason: 'group_total', opensAt: bench.nowMs + 60_000 });
  });

  it('R13: holds the jobs that only the total of their group keeps', async () => {
    await bench.close();
    bench = new LaneBench(redis, { groups: { email: { total: { limit: 1, perMs: 60_000, burst: 1 } } } });
    await bench.add('A', 1, { group: 'email' });
    await bench.add('B', 2, { group: 'email' });
    await bench.add('B', 1, { group: 'email' }, { priority: 1 });
    expect((await bench.take())?.name).toBe('A');
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 0, held: 3, heldLanes: 1 });
    expect(await bench.lanes.account('B')).toMatchObject({
      counts: { ready: 0, held: 3 },
      lanes: [{ group: 'email', ready: 0, held: 3, oldestEligibleAgeMs: null }],
      nextRunAt: bench.nowMs + 60_000,
    });
    expect(await bench.lanes.oldestLanes('queue', 5)).toMatchObject([{ account: 'B', held: true }]);
    await bench.add('C', 4);
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 4, held: 3, heldLanes: 1 });
    bench.nowMs += 60_000;
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 7, held: 0, heldLanes: 0 });
    expect((await bench.lanes.account('B')).counts).toMatchObject({ ready: 3, held: 0 });
  });

  it('that nobody knows is empty', async () => {
    expect(await bench.lanes.account('nobody')).toMatchObject({
      lanes: [],
      gates: [],
      counts: { ready: 0 },
      nextRunAt: null,
    });
  });
});

const name = (at: number) => `account-${String(at).padStart(4, '0')}`;

describe('accounts', () => {
  it('come by the age of their oldest job that could run, held ones last', async () => {
    const base = Date.now();
    for (const [account, age] of [
      ['young', 1_000],
      ['old', 9_000],
      ['held', 20_000],
    ] as const) {
      await bench.add(account, 1, {}, { timestamp: base - age });
      await bench.add(account, 1, {}, { timestamp: base });
    }
    await bench.lanes.pause('held', 'test');
    bench.nowMs = base;
    const page = await bench.lanes.accounts({ limit: 2 });
    expect(page.items.map((each) => each.account)).toEqual(['old', 'young']);
    expect(page.items[0]).toMatchObject({ oldestEligibleAgeMs: 9_000, waiting: 2 });
    const rest = await bench.lanes.accounts({ limit: 2, cursor: page.cursor! });
    expect(rest).toMatchObject({
      items: [{ account: 'held', oldestEligibleAgeMs: null, oldestWaitingAgeMs: 20_000 }],
      cursor: null,
    });
  });

  it('of many lanes are met once each, page by page, while others come, are served and leave', async () => {
    const base = Date.now();
    const other = bench.another('other');
    for (let at = 0; at < 12; at += 1) {
      await bench.add(`account-${at}`, 2, {}, { timestamp: base - 1_000 * (20 - at) });
      const opts = { timestamp: base - 500 * (20 - at), lane: { account: `account-${at}` } };
      await other.queue.add('job', {}, opts);
    }
    await bench.lanes.pause('account-3', 'test');
    await bench.lanes.pause('account-4', 'test');
    bench.nowMs = base;
    const met: string[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null; pages += 1) {
      const page = await bench.lanes.accounts({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      met.push(...page.items.map(({ account }) => account));
      cursor = page.cursor;
      if (pages === 0) {
        // Some of those that were met have nothing left now, in either queue: those behind them move up.
        await bench.serve(4);
        await bench.finish((await bench.take(other.worker))!);
        await bench.finish((await bench.take(other.worker))!);
        await bench.add('young', 1, {}, { timestamp: base });
      }
    }
    const names = Array.from({ length: 12 }, (_value, at) => `account-${at}`);
    const held = ['account-3', 'account-4'];
    const open = names.filter((name) => !held.includes(name));
    expect(met).toEqual([...open, 'young', ...held]);
  });

  it('are held altogether where the total of their group is reached, and shown all the same', async () => {
    await bench.close();
    bench = new LaneBench(redis, { groups: { email: { total: { limit: 1, perMs: 60_000, burst: 1 } } } });
    for (const account of ['A', 'B']) await bench.add(account, 2, { group: 'email' });
    await bench.add('C');
    expect((await bench.take())?.name).toBe('A');
    const { items } = await bench.lanes.accounts();
    expect(items.map(({ account, oldestEligibleAgeMs }) => [account, oldestEligibleAgeMs === null])).toEqual([
      ['C', false],
      ['A', true],
      ['B', true],
    ]);
  });

  it('are met once each, few among thousands, whether they are held or not', async () => {
    const base = Date.now();
    const jobs = Array.from({ length: 620 }, (_value, at) => ({
      name: 'job',
      data: {},
      // Many wait since the same millisecond.
      opts: { timestamp: base - 60_000 + Math.floor(at / 300), lane: { account: name(at) } },
    }));
    await bench.queue.addBulk(jobs);
    const held = [name(3), name(400)];
    for (const account of held) await bench.lanes.pause(account, 'test');
    bench.nowMs = base;
    const met: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await bench.lanes.accounts({ limit: 170, ...(cursor === undefined ? {} : { cursor }) });
      met.push(...page.items.map(({ account }) => account));
      cursor = page.cursor;
    }
    const open = jobs.map(({ opts }) => opts.lane.account).filter((account) => !held.includes(account));
    expect(met).toEqual([...open, ...held]);
  });

  it('that have been served are as old as what is left of them', async () => {
    const base = Date.now();
    await bench.add('A', 1, {}, { timestamp: base - 9_000 });
    await bench.add('A', 1, {}, { timestamp: base - 2_000 });
    await bench.add('B', 1, {}, { timestamp: base - 5_000 });
    bench.nowMs = base;
    expect((await bench.take())?.name).toBe('A');
    expect((await bench.lanes.accounts()).items.map((each) => each.account)).toEqual(['B', 'A']);
  });

  it('are found by the beginning of their name, with or without a backlog', async () => {
    for (const account of ['acme-1', 'acme-2', 'acme-3', 'other']) {
      await bench.add(account);
    }
    await bench.serve(4);
    const first = await bench.lanes.accounts({ search: 'acme', limit: 2 });
    expect(first.items.map((each) => each.account)).toEqual(['acme-1', 'acme-2']);
    const second = await bench.lanes.accounts({ search: 'acme', limit: 2, cursor: first.cursor! });
    expect(second.items.map((each) => each.account)).toEqual(['acme-3']);
  });

  it('are found when they have settings and never had a job', async () => {
    await bench.lanes.setAccount('new-1', { weight: 2 });
    await bench.lanes.setLimits('new-2', 'email', { limit: 1, perMs: 1_000 });
    await bench.lanes.pause('new-3', 'test');
    const found = await bench.lanes.accounts({ search: 'new-' });
    expect(found.items.map((each) => each.account)).toEqual(['new-1', 'new-2', 'new-3']);
    expect(found.items[0]).toMatchObject({ waiting: 0, oldestEligibleAgeMs: null });
  });
});

describe('jobs', () => {
  it('of an account come newest first over states and queues, page by page', async () => {
    const other = bench.another('other');
    const base = Date.now();
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      const opts = {
        timestamp: base + at,
        lane: { account: 'A' },
        ...(at % 4 === 1 ? { priority: 2 } : {}),
        ...(at % 4 === 2 ? { delay: 90_000 } : {}),
      };
      const job = await (at % 2 === 0 ? bench.queue : other.queue).add(`job-${at}`, {}, opts);
      ids.unshift(`${job.queueName}/${job.id!}`);
    }
    await bench.finish((await bench.take())!);
    await bench.take(other.worker);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await bench.lanes.jobs({ account: 'A', limit: 5, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map((job) => `${job.queue}/${job.id}`));
      cursor = page.cursor;
    } while (cursor);
    expect(seen).toEqual(ids);
  });

  it('are filtered by state, name, tag and time', async () => {
    await bench.add('A', 2, { tag: 'spring' });
    await bench.add('B', 1, { tag: 'spring' });
    await bench.add('A', 1, { tag: 'autumn' });
    await bench.lanes.pause('B', 'test');
    const count = async (filter: object): Promise<number> => (await bench.lanes.jobs(filter)).items.length;
    expect(await count({ tag: 'spring' })).toBe(3);
    expect(await count({ tag: 'spring', account: 'A' })).toBe(2);
    expect(await count({ state: 'held' })).toBe(1);
    expect(await count({ state: 'ready', name: 'A' })).toBe(3);
    expect(await count({ since: Date.now() + 60_000 })).toBe(0);
    await bench.take();
    expect(await count({ state: 'active', account: 'A' })).toBe(1);
  });
});
