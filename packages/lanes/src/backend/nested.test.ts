import { useRedis } from '@fairlane/testkit/vitest';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownKeyOfBase } from '../redis/keys.js';
import { customScript, laneScript, laneScripts, type ComposedScript } from '../scripts/lane-scripts.js';
import { createBackendFactory } from './backend-factory.js';
import { LaneBackend } from './backend.js';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis);
});
async function cannotTell(): Promise<void> {
  throw new Error('cannot be told');
}

afterEach(async () => bench.close());

/** Runs Lua of ours inside the lanes of the queue. */
async function run(content: string, ...args: string[]): Promise<unknown> {
  const { lua } = customScript({ name: 'test', keys: 0, content });
  const base = `${bench.prefix}:queue:`;
  return redis.client.eval(lua, 1, ownKeyOfBase(base), ...args, base, String(bench.nowMs));
}

/** Looks at fields of its own in the queue's hash around a job's birth. */
class LookingBackend extends LaneBackend {
  protected override scripts(): ReadonlyMap<string, ComposedScript> {
    const looking = laneScript('addStandardJob', ({ content, keys }) => ({
      keys,
      content: `local function inner(KEYS, ARGV)\n${content}\nend
local one, two = redis.call('HMGET', KEYS[3], 'x'), redis.call('HMGET', KEYS[3], 'y', 'z')
local id = inner(KEYS, ARGV)
redis.call('HSET', KEYS[3], 'seen', one[1] .. two[1] .. two[2] .. redis.call('HMGET', KEYS[3], 'z', 'y')[1])
return id`,
    }));
    return new Map([...laneScripts(), ['addStandardJob', looking]]);
  }

  protected override commandName(name: string): string {
    return `looking.${name}`;
  }
}

const heldOf = async (id: string): Promise<unknown> =>
  run(`return { redis.lanes().held('${bench.prefix}:queue:', ARGV[1]) }`, id);

describe('a script inside the lanes', () => {
  it("runs around BullMQ's, with more keys behind its", () => {
    const plain = laneScript('removeJob');
    const around = laneScript('removeJob', ({ content, keys }) => ({
      keys: keys + 2,
      content: `local function inner(KEYS, ARGV)\n${content}\nend\nreturn inner(KEYS, ARGV)`,
    }));
    expect(around).toMatchObject({ name: 'removeJob', numberOfKeys: plain.numberOfKeys + 2, role: 'other' });
  });

  it("reads fields of its own in the queue's hash, and BullMQ its own", async () => {
    const { connection, prefix } = bench;
    const queue = new Queue('queue', { connection, prefix }, createBackendFactory(LookingBackend));
    bench.also(queue);
    await queue.pause();
    await redis.client.hset(`${prefix}:queue:meta`, { x: '1', y: '2', z: '3' });
    await Promise.all([queue.add('A', {}), queue.add('B', {})]);
    expect(await redis.client.hget(`${prefix}:queue:meta`, 'seen')).toBe('1233');
    expect(await redis.client.exists(`${prefix}:queue:marker`)).toBe(0);
    expect(await bench.take()).toBeUndefined();
  });

  it('has the clock of the lanes', async () => {
    expect(await run('return tostring(redis.now())')).toBe(String(bench.nowMs));
  });

  it('hears why a waiting job does not run, and until when', async () => {
    const [job] = await bench.add('acme');
    expect(await heldOf(job!.id!)).toEqual([]);
    await bench.lanes.closeGateFor('acme', 'default', 5_000);
    expect(await heldOf(job!.id!)).toEqual(['throttled', bench.nowMs + 5_000]);
    await bench.lanes.pause('acme', 'someone');
    expect(await heldOf(job!.id!)).toEqual(['paused']);
    await bench.queue.pause();
    expect(await heldOf(job!.id!)).toEqual(['queue_paused']);
  });

  it.each(['waiting', 'prioritized', 'delayed', 'hash gone'])(
    'erases a job that is %s, with all that is kept of it',
    async (where) => {
      await bench.add('acme');
      const options = where === 'prioritized' ? { priority: 3 } : where === 'delayed' ? { delay: 9 } : {};
      const [job] = await bench.add('acme', 1, { tag: 'spring' }, options);
      if (where === 'hash gone') await redis.client.del(`${bench.prefix}:queue:${job!.id!}`);
      await run(`redis.lanes().erase('${bench.prefix}:queue:', ARGV[1], 'acme')`, job!.id!);
      expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 1, delayed: 0 });
      bench.nowMs += 100;
      expect(await bench.serve(5)).toEqual(['acme']);
      expect((await bench.lanes.jobs({ tag: 'spring' })).items).toEqual([]);
    },
  );

  it('closes a gate, and the worker hears when it opens', async () => {
    await bench.add('acme', 2);
    await run(`redis.lanes().close_gate('default', 'acme', redis.now() + 300)`);
    expect(await bench.lanes.queueCounts('queue')).toMatchObject({ ready: 0, held: 2 });
    expect(await redis.client.zscore(`${bench.prefix}:queue:marker`, '1')).toBe(String(bench.nowMs + 300));
  });
});

describe('states that BullMQ does not tell apart', () => {
  it('counts delayed jobs by whether they were started, and by the reason their consumer gave', async () => {
    const [held] = await bench.add('acme', 3);
    await bench.add('acme', 2, {}, { delay: 60_000 });
    for (let at = 0; at < 3; at += 1) {
      const job = (await bench.take())!;
      if (job.id === held!.id)
        await redis.client.hset(`${bench.prefix}:queue:${job.id!}`, 'hr', 'no_handler');
      if (at < 2) await job.moveToDelayed(bench.nowMs + 30_000, job.token);
    }
    const counts = { scheduled: 2, retrying: 1, held: 1, delayed: 4, active: 1 };
    expect(await bench.lanes.queueCounts('queue')).toMatchObject(counts);
    expect((await bench.lanes.account('acme')).counts).toMatchObject(counts);
    for (const state of ['scheduled', 'retrying', 'held', 'active'] as const) {
      const { items } = await bench.lanes.jobs({ account: 'acme', state });
      expect([state, items.length]).toEqual([state, counts[state]]);
    }
    bench.nowMs += 90_000;
    const none = { scheduled: 0, retrying: 0, held: 0, delayed: 0, ready: 4, active: 1 };
    expect(await bench.lanes.queueCounts('queue')).toMatchObject(none);
  });

  it('keeps cancelled jobs as an end of their own', async () => {
    const [job] = await bench.add('acme', 1, { tag: 'spring' });
    await run(
      `local base = '${bench.prefix}:queue:'
redis.call('LREM', base .. 'wait', 0, ARGV[1])
redis.call('HSET', base .. ARGV[1], 'finishedOn', redis.now())
redis.call('ZADD', base .. 'cancelled', redis.now(), ARGV[1])`,
      job!.id!,
    );
    const cancelled = { ready: 0, cancelled: 1, failed: 0, completed: 0 };
    expect(await bench.lanes.queueCounts('queue')).toMatchObject(cancelled);
    expect((await bench.lanes.account('acme')).counts).toMatchObject(cancelled);
    for (const filter of [{ account: 'acme' }, { tag: 'spring' }, { state: 'cancelled' as const }]) {
      expect((await bench.lanes.jobs(filter)).items).toMatchObject([{ id: job!.id, state: 'cancelled' }]);
    }
    bench.nowMs += 10;
    expect(await bench.lanes.trim('queue', 'cancelled', { ageMs: 5 })).toBe(1);
    expect((await bench.lanes.account('acme')).counts.cancelled).toBe(0);
  });
});

describe('trimming', () => {
  it('forgets a job that completed after a retry in the index of its end', async () => {
    await bench.add('acme');
    const first = (await bench.take())!;
    await redis.client.hset(`${bench.prefix}:queue:${first.id!}`, 'failedReason', 'once');
    await bench.finish(first);
    bench.nowMs += 60_000;
    expect(await bench.lanes.trim('queue', 'completed', { ageMs: 5 })).toBe(1);
    expect((await bench.lanes.account('acme')).counts).toMatchObject({ completed: 0, failed: 0 });
  });

  it('keeps jobs whose end could not be told', async () => {
    await bench.add('acme');
    await bench.serve(1);
    bench.nowMs += 60_000;
    await expect(bench.lanes.trim('queue', 'completed', { ageMs: 5 }, cannotTell)).rejects.toThrow(
      'cannot be told',
    );
    expect((await bench.lanes.queueCounts('queue')).completed).toBe(1);
  });
});
