import type { Job } from 'bullmq';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { checkRate, type Admission } from '../src/invariants.js';
import { countedClaims, miscountClaims } from './support/gate-record.js';
import { LaneBench, tally } from './support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

afterEach(async () => {
  await bench.close();
});

async function admitted(bench_: LaneBench): Promise<number> {
  let count = 0;
  while (await bench_.take()) {
    count += 1;
  }
  return count;
}

describe('rate', () => {
  it('A12: a long-idle bucket holds no more than its burst', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000, burst: 5 });
    bench.nowMs += 60_000;
    await bench.add('A', 50);
    expect(await admitted(bench)).toBe(5);
    bench.nowMs += 10_000;
    expect(await admitted(bench)).toBe(5);
  });

  it('R3: admits at the exact time a token is back, over all queues of the gate', async () => {
    bench = new LaneBench(redis);
    const other = bench.another('other');
    await bench.lanes.setLimits('A', 'default', { limit: 2, perMs: 1_000, burst: 1 });
    await bench.add('A', 5);
    await other.queue.add('A', {}, { lane: { account: 'A' } });
    expect((await bench.take())?.name).toBe('A');
    expect(await bench.take(other.worker)).toBeUndefined();
    bench.nowMs += 499;
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1;
    expect(await bench.take(other.worker)).toBeDefined();
    expect(await bench.take()).toBeUndefined();
  });

  it('A13: a changed limit holds at once and brings no refill', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 600_000 });
    await bench.add('A', 20);
    expect(await admitted(bench)).toBe(1);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000 });
    expect(await admitted(bench)).toBe(0);
    bench.nowMs += 1_000;
    expect(await admitted(bench)).toBe(1);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 600_000 });
    bench.nowMs += 2_000;
    expect(await admitted(bench)).toBe(0);
    await bench.lanes.removeLimits('A', 'default');
    expect(await admitted(bench)).toBe(18);
  });

  it('R3: a job that costs more than the burst spends the whole burst', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 100, burst: 3 });
    await bench.add('A', 2, { cost: 10 });
    expect(await admitted(bench)).toBe(1);
    bench.nowMs += 299;
    expect(await admitted(bench)).toBe(0);
    bench.nowMs += 1;
    expect(await admitted(bench)).toBe(1);
  });

  it('R3: tokens stay spent when the default limits of a group change', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setGroup('default', { default: { limit: 10, perMs: 1_000, burst: 10 } });
    await bench.add('A', 30);
    expect(await bench.serve(30)).toHaveLength(10);
    await bench.lanes.setGroup('default', { default: { limit: 1, perMs: 1_000, burst: 10 } });
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1_000;
    expect(await bench.serve(30)).toHaveLength(1);
    bench.nowMs += 500;
    await bench.lanes.setGroup('default', { default: { limit: 10, perMs: 1_000, burst: 10 } });
    // Nine and a half were spent; each is back after a tenth of a second now.
    bench.nowMs += 49;
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1;
    expect(await bench.serve(30)).toHaveLength(1);
  });

  it('R9: what was spent beyond a smaller burst is forgiven when the limits change, whenever the account comes back', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000, burst: 100 });
    // Not all of it: the lane is empty and open, so nothing is kept of it in the queue.
    await bench.add('A', 99);
    expect(await bench.serve(100)).toHaveLength(99);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000, burst: 10 });
    bench.nowMs += 10_000;
    await bench.add('A', 11);
    expect(await bench.serve(11)).toHaveLength(10);
  });

  it('R3: a clock that steps back neither refills the bucket nor locks it', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000, burst: 2 });
    await bench.add('A', 10);
    expect(await admitted(bench)).toBe(2);
    bench.nowMs -= 3_600_000;
    await bench.lanes.audit({ patienceMs: 0 });
    expect(await admitted(bench)).toBe(0);
    bench.nowMs += 1_000;
    expect(await admitted(bench)).toBe(1);
  });

  it('closes a gate until the time a remote 429 asks for', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 2);
    await bench.add('B', 1);
    await bench.lanes.closeGate('A', 'default', bench.nowMs + 5_000);
    await bench.lanes.closeGateFor('A', 'default', 1_000);
    expect(await bench.serve(3)).toEqual(['B']);
    expect((await bench.lanes.account('A')).gates[0]).toMatchObject({
      reason: 'throttled',
      opensAt: bench.nowMs + 5_000,
    });
    bench.nowMs += 5_000;
    expect(await bench.serve(3)).toEqual(['A', 'A']);
  });

  it('takes the default of the group where an account has no limits', async () => {
    bench = new LaneBench(redis, { groups: { email: { default: { limit: 1, perMs: 1_000 } } } });
    await bench.lanes.setLimits('B', 'email', { limit: 3, perMs: 1_000 });
    await bench.add('A', 5, { group: 'email' });
    await bench.add('B', 5, { group: 'email' });
    expect(tally(await bench.serve(10))).toEqual({ A: 1, B: 3 });
  });

  it('levels all accounts of a group to its total', async () => {
    bench = new LaneBench(redis, { groups: { crm: { total: { limit: 2, perMs: 1_000 } } } });
    for (const account of ['A', 'B', 'C']) {
      await bench.add(account, 2, { group: 'crm' });
    }
    await bench.add('D', 1);
    const first = await bench.serve(10);
    expect(first).toHaveLength(3);
    expect(first).toContain('D');
    expect((await bench.lanes.account('C')).gates).toContainEqual(
      expect.objectContaining({ group: 'crm', reason: 'group_total' }),
    );
    const admissions: Admission[] = [];
    for (let step = 0; step < 40; step += 1) {
      bench.nowMs += 50;
      for (const account of await bench.serve(10)) {
        admissions.push({ at: bench.nowMs, account, group: 'crm', jobId: '', cost: 1 });
      }
    }
    expect(admissions).toHaveLength(4);
    expect(checkRate(admissions, [{ from: 0, limit: 2, perMs: 1_000 }])).toEqual([]);
  });

  it('R3: a costly job waits until the total of its group has all its tokens, and keeps its turn', async () => {
    bench = new LaneBench(redis, { groups: { crm: { total: { limit: 1, perMs: 1_000, burst: 3 } } } });
    await bench.lanes.setAccount('A', { weight: 100 });
    await bench.add('A', 2, { group: 'crm', cost: 2 });
    expect(await bench.serve(2)).toEqual(['A']);
    await bench.add('B', 2, { group: 'crm' });
    await bench.add('C', 2);
    bench.nowMs += 500;
    // One and a half are left. B has its first turn, the next one is A's.
    expect((await bench.serve(4)).toSorted()).toEqual(['B', 'C', 'C']);
    bench.nowMs += 1_000;
    expect(await bench.serve(1), 'with tokens enough for B').toEqual([]);
    bench.nowMs += 500;
    expect(await bench.serve(2)).toEqual(['A']);
    bench.nowMs += 1_000;
    expect(await bench.serve(2)).toEqual(['B']);
  });
});

describe('in flight', () => {
  it('R4: a gate is full until one of its claims ends, in whichever queue', async () => {
    bench = new LaneBench(redis);
    const other = bench.another('other');
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 2 });
    await bench.add('A', 3);
    await other.queue.add('A', {}, { lane: { account: 'A' } });
    const first = (await bench.take())!;
    expect(await bench.take(other.worker)).toBeDefined();
    expect(await bench.take()).toBeUndefined();
    await bench.finish(first);
    expect(await bench.take()).toBeDefined();
    expect(await bench.take()).toBeUndefined();
  });

  it('R4: counts jobs that run already when a limit is set', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 4);
    const running = [(await bench.take())!, (await bench.take())!];
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    expect(await bench.take()).toBeUndefined();
    await bench.finish(running[0]!);
    expect(await bench.take()).toBeUndefined();
    await bench.finish(running[1]!);
    expect(await bench.take()).toBeDefined();
    expect(await bench.take()).toBeUndefined();
  });

  it.each<[string, (job: Job) => Promise<unknown>]>([
    ['fails', async (job) => job.moveToFailed(new Error('no'), job.token!, false)],
    ['is delayed', async (job) => job.moveToDelayed(Date.now() + 60_000, job.token)],
    ['goes back to wait', async (job) => job.moveToWait(job.token!)],
  ])('R4: a claim ends when its job %s', async (_how, end) => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    await end((await bench.take())!);
    expect(await countedClaims(redis.client, bench.prefix, 'A')).toBe(0);
    expect(await bench.take()).toBeDefined();
  });

  it('A17: a dead worker gives its claims back with the stalled jobs, 20 times over', async () => {
    bench = new LaneBench(redis);
    const accounts = ['A', 'B', 'C', 'D'];
    for (const account of accounts) {
      await bench.lanes.setLimits(account, 'default', { maxInFlight: 1 });
      await bench.add(account, 5);
    }
    let killed = 0;
    for (let round = 0; round < 5; round += 1) {
      const jobs = await Promise.all(accounts.map(async () => bench.take()));
      expect(await bench.take()).toBeUndefined();
      killed += jobs.length;
      await bench.stall(redis.client, ...jobs.map((job) => job!));
    }
    expect(killed).toBe(20);
    // After two stalls a job fails unrun when it is taken next; what is left completes.
    while (true) {
      const job = await bench.take();
      if (!job) {
        break;
      }
      await bench.finish(job);
    }
    for (const account of accounts) {
      expect(await countedClaims(redis.client, bench.prefix, account)).toBe(0);
      expect((await bench.lanes.account(account)).counts).toMatchObject({
        ready: 0,
        held: 0,
        active: 0,
        completed: 5,
      });
    }
  });

  it('a refused finish ends the claim of its own handler and leaves a newer one', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    const stale = (await bench.take())!;
    await bench.stall(redis.client, stale);
    const fresh = (await bench.take())!;
    expect(fresh.id).toBe(stale.id);
    await expect(stale.moveToCompleted('late', stale.token!, false)).rejects.toThrow('Lock mismatch');
    expect(await countedClaims(redis.client, bench.prefix, 'A')).toBe(1);
    expect(await bench.take()).toBeUndefined();
    await bench.finish(fresh);
    expect(await bench.take()).toBeDefined();
  });

  it('R11: a claim whose job was removed while active ends after lease and grace', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    const job = (await bench.take())!;
    await redis.client.del(`${bench.prefix}:queue:${job.id!}:lock`);
    await bench.queue.remove(job.id!);
    expect(await bench.lanes.audit({ patienceMs: 1_000 })).toMatchObject({ claimsFreed: 0 });
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1_000;
    expect(await bench.lanes.audit({ patienceMs: 1_000 })).toMatchObject({ claimsFreed: 1 });
    expect(await bench.take()).toBeDefined();
  });

  it('R11: a lane whose time has just come is no repair', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 1_000 });
    await bench.add('A', 2);
    await bench.take();
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1_000;
    expect(await bench.lanes.audit({ patienceMs: 0 })).toMatchObject({ lanesOpened: 0 });
    expect(await bench.take()).toBeDefined();
  });

  it('R11: the audit gives a running job the claim it lacks, and corrects a count that blocks', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 2);
    const job = (await bench.take())!;
    await redis.client.del(`${bench.prefix}::q:queue:k`);
    await miscountClaims(redis.client, bench.prefix, 'A', 0);
    expect(await bench.lanes.audit({ patienceMs: 0 })).toMatchObject({ claimsAdded: 1 });
    await miscountClaims(redis.client, bench.prefix, 'A', 7);
    await bench.finish(job);
    expect(await bench.take()).toBeUndefined();
    expect(await bench.lanes.audit({ patienceMs: 0 })).toMatchObject({ countsCorrected: 1, lanesOpened: 1 });
    expect(await bench.take()).toBeDefined();
  });
});

describe('accounts', () => {
  it('a paused account is held and keeps who paused it and when', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 2);
    expect(await bench.lanes.pause('A', 'ann')).toBe(true);
    expect(await bench.lanes.pause('A', 'bob')).toBe(false);
    expect(await bench.take()).toBeUndefined();
    const view = await bench.lanes.account('A');
    expect(view.paused?.by).toBe('ann');
    expect(view.counts).toMatchObject({ held: 2, ready: 0 });
    expect(view.gates[0]).toMatchObject({ reason: 'paused' });
    await bench.lanes.resume('A', 'ann');
    expect(await bench.serve(5)).toEqual(['A', 'A']);
  });

  it("R5: runs jobs in the account's window only", async () => {
    bench = new LaneBench(redis);
    // A Wednesday, 12:00 in New York.
    bench.nowMs = Date.UTC(2026, 0, 14, 17);
    await bench.lanes.setAccount('A', {
      windows: [{ zone: 'America/New_York', days: [1, 2, 3, 4, 5], from: '19:00', to: '23:00' }],
    });
    await bench.add('A', 3);
    expect(await bench.take()).toBeUndefined();
    expect((await bench.lanes.account('A')).gates[0]).toMatchObject({
      reason: 'window',
      opensAt: Date.UTC(2026, 0, 15, 0),
    });
    bench.nowMs = Date.UTC(2026, 0, 15, 0) - 1;
    expect(await bench.take()).toBeUndefined();
    bench.nowMs += 1;
    expect(await bench.take()).toBeDefined();
    bench.nowMs = Date.UTC(2026, 0, 15, 4) - 1;
    expect(await bench.take()).toBeDefined();
    bench.nowMs += 1;
    expect(await bench.take()).toBeUndefined();
    await bench.lanes.setAccount('A', { windows: null });
    expect(await bench.take()).toBeDefined();
  });

  it('R5: is closed beyond the windows computed, until they are computed anew', async () => {
    bench = new LaneBench(redis);
    bench.nowMs = Date.UTC(2026, 0, 14, 17);
    await bench.lanes.setAccount('A', {
      windows: [{ zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' }],
    });
    await bench.add('A', 1);
    bench.nowMs += 40 * 86_400_000;
    expect(await bench.take()).toBeUndefined();
    expect((await bench.lanes.account('A')).gates[0]).toMatchObject({ reason: 'window' });
    expect(await bench.lanes.refreshWindows()).toBe(1);
    expect(await bench.take()).toBeDefined();
  });
});
