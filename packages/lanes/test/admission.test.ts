import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { checkFairness, type FairnessEvent } from '../src/invariants.js';
import { LaneBench, tally } from './support/lane-bench.js';
import { changeQueueState, readQueueState } from './support/queue-state.js';

const redis = useRedis();
let bench: LaneBench;

afterEach(async () => {
  await bench.close();
});

describe('admission', () => {
  it('R6: serves accounts in turn whatever their backlogs', async () => {
    bench = new LaneBench(redis);
    await bench.add('large', 100);
    await bench.add('small', 2);
    expect(await bench.serve(5)).toEqual(['large', 'small', 'large', 'small', 'large']);
  });

  it('R6: serves accounts that arrive together in the order they came, whatever their names', async () => {
    bench = new LaneBench(redis);
    for (const account of ['m', 'z', 'a']) {
      await bench.add(account, 2);
    }
    expect(await bench.serve(6)).toEqual(['m', 'z', 'a', 'm', 'z', 'a']);
  });

  it('R6: an account is not passed by those that come after it, however many', async () => {
    bench = new LaneBench(redis);
    await bench.add('z');
    await bench.add('y');
    const served: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      await bench.add(`a${at}`);
      served.push(...(await bench.serve(1)));
    }
    expect(served).toEqual(['z', 'y', ...Array.from({ length: 18 }, (_none, at) => `a${at}`)]);
  });

  it('R6: a heavy account gives way to one that came before it by no more than a job of its own', async () => {
    bench = new LaneBench(redis);
    const weight = 1_000_000;
    await bench.lanes.setAccount('A', { weight });
    await bench.lanes.setAccount('B', { weight });
    await bench.add('A', 10);
    for (let at = 0; at < 20; at += 1) await bench.add(`one ${at}`);
    await bench.add('B', 10);
    const served = await bench.serve(24);
    expect(served.slice(0, served.indexOf('B')).filter((name) => name === 'A').length).toBeLessThanOrEqual(2);
  });

  it('R6: goes on with tags that are no longer whole numbers to Redis', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 5);
    await bench.add('B', 5);
    const far = 2 ** 63;
    await changeQueueState(redis.client, bench.prefix, 'queue', { v: far, a: far });
    expect(tally(await bench.serve(6))).toEqual({ A: 3, B: 3 });
  });

  it('R6: an account whose gate opens is served behind those that came before', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('b', 'default', { limit: 1, perMs: 1_000, burst: 1 });
    await bench.add('b', 2);
    await bench.add('c', 4);
    expect(await bench.serve(4)).toEqual(['b', 'c', 'c', 'c']);
    await bench.add('d', 1);
    bench.nowMs += 1_000;
    expect(await bench.serve(3)).toEqual(['d', 'b', 'c']);
  });

  it('A15: a single job behind 10,000 of another account is next', async () => {
    bench = new LaneBench(redis);
    await bench.lanes.setLimits('A', 'default', { maxInFlight: 1 });
    await bench.add('A', 10_000);
    expect((await bench.take())?.name).toBe('A');
    await bench.add('B');
    expect((await bench.take())?.name).toBe('B');
  });

  it('R6: shares by weight', async () => {
    bench = new LaneBench(redis);
    for (const [account, weight] of [
      ['one', 1],
      ['two', 2],
      ['five', 5],
    ] as const) {
      await bench.lanes.setAccount(account, { weight });
      await bench.add(account, 100);
    }
    expect(tally(await bench.serve(80))).toEqual({ one: 10, two: 20, five: 50 });
  });

  it('R6: charges what a job costs', async () => {
    bench = new LaneBench(redis);
    await bench.add('cheap', 20);
    await bench.add('dear', 20, { cost: 3 });
    expect(tally(await bench.serve(12))).toEqual({ cheap: 9, dear: 3 });
  });

  it('R6: refuses a weight so small that one job would keep its account from its turn long after that is mended', async () => {
    bench = new LaneBench(redis);
    for (const weight of [0, -1, 0.000_999, 1_000_001, Number.NaN]) {
      await expect(bench.lanes.setAccount('acme', { weight })).rejects.toMatchObject({
        code: 'invalid_weight',
      });
    }
    await bench.lanes.setAccount('acme', { weight: 0.001 });
  });

  it('R6: an account that empties and returns 1,000 times gains nothing over weights 1, 2 and 5', async () => {
    bench = new LaneBench(redis);
    const weights = new Map([
      ['one', 1],
      ['two', 2],
      ['five', 5],
      ['visitor', 1],
    ]);
    for (const [account, weight] of weights) {
      await bench.lanes.setAccount(account, { weight });
    }
    const events: FairnessEvent[] = [];
    for (const account of ['one', 'two', 'five']) {
      await bench.add(account, account === 'five' ? 7_000 : 3_000);
      events.push({ kind: 'eligible', account });
    }
    let visits = 0;
    let waiting = false;
    const served: Record<string, number> = {};
    const ends: Promise<void>[] = [];
    while (visits < 1_000) {
      if (!waiting) {
        await bench.add('visitor');
        events.push({ kind: 'eligible', account: 'visitor' });
        waiting = true;
      }
      const job = (await bench.take())!;
      const account = job.name;
      // Nothing is limited by what is in flight, so the next is taken meanwhile.
      ends.push(bench.finish(job));
      events.push({ kind: 'served', account, cost: 1 });
      served[account] = (served[account] ?? 0) + 1;
      if (account === 'visitor') {
        events.push({ kind: 'ineligible', account });
        waiting = false;
        visits += 1;
      }
    }
    await Promise.all(ends);
    expect(checkFairness(events, weights)).toEqual([]);
    expect(served['visitor']! / served['one']!).toBeLessThan(1.01);
  }, 300_000);

  it('R6: the lanes of an account take turns', async () => {
    bench = new LaneBench(redis, { groups: { email: {}, sms: {} } });
    await bench.add('A', 10, { group: 'email' });
    await bench.add('A', 10, { group: 'sms' });
    await bench.add('B', 10, { group: 'email' });
    const groups: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      const job = (await bench.take())!;
      groups.push(`${job.name} ${job.opts.lane!.group}`);
    }
    expect(tally(groups)).toEqual({ 'A email': 3, 'A sms': 3, 'B email': 6 });
  });

  it('keeps priority, then first in first out, inside a lane', async () => {
    bench = new LaneBench(redis);
    const ids: Record<string, string> = {};
    for (const [name, opts] of [
      ['low', { priority: 9 }],
      ['high', { priority: 1 }],
      ['first', {}],
      ['second', {}],
      ['lifo', { lifo: true }],
    ] as const) {
      const [job] = await bench.add('A', 1, {}, opts);
      ids[job!.id!] = name;
    }
    const order: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      order.push(ids[(await bench.take())!.id!]!);
    }
    expect(order).toEqual(['lifo', 'first', 'second', 'high', 'low']);
  });

  it('R6: jobs without an account share one lane', async () => {
    bench = new LaneBench(redis);
    await bench.queue.addBulk(Array.from({ length: 4 }, () => ({ name: 'shared', data: {} })));
    await bench.add('A', 4);
    expect(await bench.serve(6)).toEqual(['shared', 'A', 'shared', 'A', 'shared', 'A']);
  });

  it('passes over an id whose hash was deleted behind its back', async () => {
    bench = new LaneBench(redis);
    const [gone, kept] = await bench.add('A', 2);
    await redis.client.del(`${bench.prefix}:queue:${gone!.id!}`);
    expect(await bench.take()).toBeUndefined();
    expect(await redis.client.exists(`${bench.prefix}:queue:${gone!.id!}`)).toBe(0);
    expect(await redis.client.zscore(`${bench.prefix}:queue:marker`, '0')).toBe('0');
    expect((await bench.take())?.id).toBe(kept!.id);
    expect(await bench.take()).toBeUndefined();
  });

  it('keeps lanes apart for accounts with colons, emoji, NUL and prototype names', async () => {
    bench = new LaneBench(redis);
    const accounts = ['a:b', 'a', 'b', '🙂', 'nul\0x', '__proto__', 'constructor'];
    for (const account of accounts) {
      await bench.add(account, 2);
    }
    expect((await bench.serve(7)).toSorted()).toEqual(accounts.toSorted());
    for (const account of accounts) {
      expect((await bench.lanes.account(account)).counts).toMatchObject({ ready: 1, completed: 1 });
    }
  });

  it('leaves a queue that has run dry without lane entries', async () => {
    bench = new LaneBench(redis);
    await bench.add('A', 3);
    await bench.add('B', 3, {}, { priority: 2 });
    await bench.serve(6);
    expect(await bench.take()).toBeUndefined();
    const own = `${bench.prefix}::q:queue`;
    expect((await redis.client.keys(`${own}:[rhlpcst]*`)).toSorted()).toEqual([]);
    expect(await readQueueState(redis.client, bench.prefix, 'queue')).toMatchObject({ n: 0, e: 0 });
  });
});
