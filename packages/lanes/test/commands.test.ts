import { Queue } from 'bullmq';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineOwnCommands, runOwn, type OwnCommand } from '../src/redis/connection.js';
import { laneKeys, type LaneKeys } from '../src/redis/keys.js';
import { miscountClaims } from './support/gate-record.js';
import { keyChange, readKeys, type Keys } from './support/key-change.js';
import { LaneBench } from './support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;
let keys: LaneKeys;

beforeEach(async () => {
  bench = new LaneBench(redis);
  keys = laneKeys(bench.prefix);
  // The last that a new queue writes by itself.
  await expect.poll(async () => redis.client.hexists(`${keys.base('queue')}meta`, 'version')).toBe(1);
  defineOwnCommands(redis.client);
});

afterEach(async () => {
  await bench.close();
});

type Arguments = readonly (string | number)[];

/** Runs a command as `Lanes` does: its reply, and the keys that it has changed. */
async function run(
  command: OwnCommand,
  own: readonly string[],
  args: Arguments,
  queue = '-',
): Promise<{ reply: unknown; change: Keys }> {
  const before = await readKeys(redis.client, bench.prefix);
  const time = String(bench.nowMs);
  const reply = await runOwn(redis.client, command, keys.base(queue), own, args, time);
  return { reply, change: keyChange(before, await readKeys(redis.client, bench.prefix)) };
}

function setLimits(...args: Arguments): ReturnType<typeof run> {
  return run('set-limits', [], ['A', 'default', ...args]);
}

function setAccount(...args: Arguments): ReturnType<typeof run> {
  return run('set-account', [keys.account('A'), keys.windows('A'), keys.calendars], ['A', ...args]);
}

/** Virtual time of a job of cost 1 at weight 1. */
const JOB = 0x100000;

function setPaused(paused: '1' | '0', by: string): ReturnType<typeof run> {
  return run('set-paused', [keys.account('A'), keys.pauses], ['A', paused, by]);
}

function close(ms: number, relative: '0' | '1'): ReturnType<typeof run> {
  return run('close-gate', [], ['A', 'default', ms, relative]);
}

function audit(cursor: string, batch: number, patienceMs = 0): ReturnType<typeof run> {
  return run('audit', [], [cursor, batch, patienceMs, '1'], 'queue');
}

function handBack(): ReturnType<typeof run> {
  return run('hand-back', [], [2], 'queue');
}

function setFleet(mixed: '1' | '0'): ReturnType<typeof run> {
  return run('set-fleet', [], [mixed], 'queue');
}

function forget(after: string, most: number): ReturnType<typeof run> {
  return run('forget-accounts', [], [after, most]);
}

function page(...args: Arguments): ReturnType<typeof run> {
  return run('job-page', [], args, 'queue');
}

function adopt(cursor: string): ReturnType<typeof run> {
  return run('adopt', [], [1, cursor], 'plain');
}

describe('set-limits', () => {
  it('keeps the limits with the account and replies those before', async () => {
    const first = await setLimits(100, 500, 3);
    expect(first).toEqual({
      reply: ['', '', ''],
      change: {
        ':accounts': ['A', '0'],
        ':conf': { lim: '1' },
        ':gates:default': { A: { i: 100, d: 500, m: 3, t: 0, n: 0, u: 0, b: 100 } },
        ':groups': ['default'],
      },
    });
    const removed = await setLimits('', '', '');
    expect(removed).toEqual({
      reply: ['100', '500', '3'],
      change: { ':gates:default': { A: { i: 0, d: 0, m: 0, t: 0, n: 0, u: 0, b: 100 } } },
    });
  });

  it('counts jobs that run already, and holds the lane they fill', async () => {
    const [job] = await bench.add('A', 2);
    await bench.take();
    const { change } = await setLimits('', '', 1);
    expect(change).toMatchObject({
      ':gates:default': { A: { i: 0, d: 0, m: 1, t: 0, n: 1, u: 0, b: 0 } },
      ':q:queue:k': { [job!.id!]: `${' '.repeat(30)}${bench.nowMs}-${'0'.repeat(20)}1default:A` },
      ':q:queue:h:default': ['A', String(JOB)],
      ':q:queue:r:default': null,
      ':waiting': ['default:A:queue', '0'],
      'queue:meta': { 'lane:g': 'default;1;' },
    });
  });
});

describe('set-account', () => {
  it('keeps weight and windows ahead, and replies weight and calendar before', async () => {
    const { nowMs } = bench;
    const past = [nowMs - 2_000, nowMs - 1_000];
    const ahead = [nowMs + 1_000, nowMs + 2_000];
    const set = await setAccount(2, JSON.stringify([past, ahead]), '[{}]', nowMs + 500);
    expect(set).toEqual({
      reply: ['1', ''],
      change: {
        ':a:A': { cal: '[{}]' },
        ':accounts': ['A', '0'],
        ':calendars': ['A', String(nowMs + 500)],
        ':conf': { lim: '1' },
        ':settings': { A: { w: 2, p: 0, o: ahead[0], c: ahead[1] } },
        ':win:A': [past.join(':'), String(past[1]), ahead.join(':'), String(ahead[1])],
      },
    });
    expect(await setAccount('', 'null', '', 0)).toEqual({
      reply: ['2', '[{}]'],
      change: {
        ':a:A': null,
        ':calendars': null,
        ':settings': { A: { w: 2, p: 0, o: 0, c: -1 } },
        ':win:A': null,
      },
    });
  });
});

describe('set-paused', () => {
  it('holds the lanes, keeps who and when, and gives the lanes back', async () => {
    await bench.add('A');
    const paused = await setPaused('1', 'support');
    expect(paused).toEqual({
      reply: 1,
      change: {
        ':a:A': { pw: 'support', pt: String(bench.nowMs) },
        ':conf': { lim: '1' },
        ':pauses': ['A', String(bench.nowMs)],
        ':q:queue:h:default': ['A', '0'],
        ':q:queue:r:default': null,
        ':settings': { A: { w: 1, p: 1, o: 0, c: -1 } },
        'queue:meta': expect.objectContaining({ 'lane:g': 'default;1;' }),
      },
    });
    expect(await setPaused('1', 'somebody else')).toEqual({ reply: 0, change: {} });
    const resumed = await setPaused('0', 'support');
    expect(resumed).toEqual({
      reply: 1,
      change: {
        ':a:A': null,
        ':pauses': null,
        ':q:queue:h:default': null,
        ':q:queue:r:default': ['A', '0'],
        ':settings': null,
      },
    });
  });
});

describe('close-gate', () => {
  it('holds the lane until then, and never opens it earlier', async () => {
    await bench.add('A');
    const until = bench.nowMs + 5_000;
    expect(await close(5_000, '1')).toMatchObject({
      reply: until,
      change: {
        ':gates:default': { A: expect.objectContaining({ u: until }) },
        ':q:queue:c': ['default:A', String(until)],
        ':q:queue:h:default': ['A', '0'],
        ':q:queue:r:default': null,
      },
    });
    expect(await close(until - 1, '0')).toEqual({ reply: until, change: {} });
  });
});

describe('audit', () => {
  it('changes nothing where nothing has drifted', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 10, perMs: 1_000, maxInFlight: 2 });
    await bench.add('A', 3);
    await bench.take();
    expect(await audit('', 10)).toEqual({ reply: ['', 0, 0, 0, 0], change: {} });
  });

  it('frees the claim of a job that is gone, once it has been patient', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 10, perMs: 1_000, maxInFlight: 1 });
    await bench.add('A', 1);
    const job = (await bench.take())!;
    await redis.client.del(`${keys.base('queue')}${job.id!}:lock`, `${keys.base('queue')}active`);
    expect(await audit('', 10, 1_000)).toEqual({
      reply: ['', 0, 0, 0, 0],
      change: { ':q:queue:o': [job.id, String(bench.nowMs)] },
    });
    bench.nowMs += 1_000;
    expect(await audit('', 10, 1_000)).toMatchObject({
      reply: ['', 1, 0, 0, 0],
      change: {
        ':gates:default': { A: expect.objectContaining({ n: 0 }) },
        ':q:queue:k': null,
        ':q:queue:o': null,
      },
    });
  });

  it('adds a claim that is missing, and goes on at its cursor', async () => {
    await bench.lanes.setLimits('A', 'default', { limit: 10, perMs: 1_000, maxInFlight: 9 });
    await bench.add('A', 3);
    for (let at = 0; at < 3; at += 1) {
      await bench.take();
    }
    await redis.client.del(`${keys.queue('queue')}:k`);
    await miscountClaims(redis.client, bench.prefix, 'A', 0);
    const first = await audit('', 2);
    const cursor = (first.reply as string[])[0]!;
    expect(first.reply).toEqual([cursor, 0, 2, 0, 0]);
    expect(JSON.parse(cursor)).toMatchObject({ active: 2 });
    const second = await audit(cursor, 2);
    expect(second.reply).toEqual(['', 0, 1, 0, 0]);
    expect(second.change).toMatchObject({ ':gates:default': { A: { n: 3 } } });
  });
});

describe('trim', () => {
  it('removes finished jobs with their index entries, and no others', async () => {
    const jobs = await bench.add('A', 3, { tag: 'spring' });
    await bench.serve(2);
    const [one, other, waiting] = jobs.map((job) => job.id!);
    const { reply, change } = await run('trim', [], ['completed', one!, other!], 'queue');
    expect(reply).toBe(2);
    expect(change).toEqual({
      ':q:queue:x:c:A': null,
      ':q:queue:x:t:spring': [waiting, expect.any(String)],
      [`queue:${one!}`]: null,
      [`queue:${other!}`]: null,
      'queue:completed': null,
    });
  });
});

describe('adopt', () => {
  it('takes the jobs of a plain queue into lanes and indexes, a batch a call', async () => {
    const plain = new Queue('plain', { connection: bench.connection, prefix: bench.prefix });
    const lane = { account: 'A' };
    const [first, second] = await plain.addBulk(
      [1, 2].map(() => ({ name: 'job', data: {}, opts: { lane } })),
    );
    const later = await plain.add('job', {}, { lane, delay: 60_000 });
    await plain.close();

    expect(await adopt('')).toMatchObject({
      reply: ['wait:0', 0],
      change: { ':queues': ['plain'], 'plain:meta': { 'lane:g': 'default' } },
    });
    expect(await adopt('wait:0')).toMatchObject({
      reply: ['wait:0', 1],
      change: {
        ':accounts': ['A', '0'],
        ':q:plain:l:default:A': [first!.id],
        ':q:plain:r:default': ['A', '0'],
        'plain:wait': [second!.id],
        [`plain:${first!.id!}`]: { ln: 'default:A' },
      },
    });
    expect((await adopt('delayed:0')).change).toMatchObject({
      ':q:plain:x:d:A': [later.id, expect.any(String)],
      [`plain:${later.id!}`]: { ln: 'default:A' },
    });
    expect((await adopt('completed:0')).reply).toEqual(['', 0]);
  });
});

describe('hand-back', () => {
  it('refuses a queue that is not paused or has active jobs, and changes nothing', async () => {
    await bench.add('A');
    expect(await handBack()).toEqual({ reply: -1, change: {} });
    await bench.take();
    await bench.queue.pause();
    expect(await handBack()).toEqual({ reply: -2, change: {} });
  });

  it("gives the jobs to BullMQ's own list, a batch a call, and leaves no key of lanes", async () => {
    const jobs = await bench.add('A', 3);
    await bench.queue.pause();
    const [first, second, third] = jobs.map((job) => job.id!);
    expect(await handBack()).toEqual({
      reply: 1,
      change: { ':q:queue:l:default:A': [third], 'queue:wait': [second, first] },
    });
    const { reply, change } = await handBack();
    expect(reply).toBe(0);
    expect(change).toMatchObject({
      ':q:queue:l:default:A': null,
      ':q:queue:r:default': null,
      ':q:queue:s': null,
      ':queues': null,
      'queue:wait': [third, second, first],
    });
    expect(change['queue:meta']).not.toHaveProperty('lane:g');
  });
});

describe('set-fleet', () => {
  it('closes a queue to lanes whatever else is set, once, and opens it again', async () => {
    await bench.add('A');
    expect(await setFleet('0')).toEqual({ reply: 0, change: {} });
    expect((await setFleet('1')).reply).toBe(1);
    expect(await setFleet('1')).toEqual({ reply: 0, change: {} });
    await bench.lanes.setLimits('B', 'default', { limit: 1, perMs: 1 });
    expect(await redis.client.hget(`${keys.base('queue')}meta`, 'lane:g')).toBe('default;9;');
    expect(await bench.take()).toBeUndefined();
    await redis.client.del(`${keys.base('queue')}marker`);
    expect(await setFleet('0')).toMatchObject({
      reply: 1,
      change: { 'queue:marker': ['0', '0'], 'queue:meta': { 'lane:g': 'default;1;' } },
    });
    expect((await bench.take())?.name).toBe('A');
  });
});

describe('forget-accounts', () => {
  it('forgets those of whom nothing is left, by name, a bounded number a call', async () => {
    await bench.add('done');
    await bench.add('running');
    await bench.add('waiting', 1, {}, { priority: 2 });
    for (const name of ['done', 'running']) {
      const job = (await bench.take())!;
      expect(job.name).toBe(name);
      if (name === 'done') {
        await bench.finish(job);
        await job.remove();
      }
    }
    await bench.lanes.setAccount('weighed', { weight: 2 });
    expect(await forget('', 3)).toEqual({
      reply: ['waiting', 1],
      change: { ':accounts': ['running', '0', 'waiting', '0', 'weighed', '0'] },
    });
    expect(await forget('waiting', 3)).toEqual({ reply: ['', 0], change: {} });
  });

  it('R3: keeps a bucket until it has not been used for a day', async () => {
    await bench.lanes.setGroup('default', { default: { limit: 1, perMs: 1_000 } });
    await bench.add('A');
    const job = (await bench.take())!;
    await bench.finish(job);
    await job.remove();
    bench.nowMs += 86_400_000;
    expect((await forget('', 10)).reply).toEqual(['', 0]);
    bench.nowMs += 1_000;
    expect(await forget('', 10)).toEqual({
      reply: ['', 1],
      change: { ':accounts': null, ':gates:default': null },
    });
  });
});

describe('job-page', () => {
  it('gives state and fields of the jobs of an account, newest first, and where to go on', async () => {
    const jobs = await bench.add('A', 3, { tag: 'spring' });
    await bench.add('B');
    await bench.lanes.pause('A', 'support');
    const [, second, third] = jobs;
    const { reply, change } = await page('waiting', 'account', 'A', 2, '', '', '', '[]');
    expect(reply).toEqual([
      '1',
      '',
      ...[third!, second!].flatMap((job, at) => [
        job.id,
        'default',
        String(at),
        String(2 - at),
        'held',
        'A',
        'default:A',
        'spring',
        String(job.timestamp),
        '',
        '',
        '',
      ]),
    ]);
    expect(change).toEqual({});
    const rest = await page('waiting', 'account', 'A', 2, 'default', 1, 1, JSON.stringify([second!.id]));
    expect((rest.reply as string[]).slice(0, 3)).toEqual(['', '', jobs[0]!.id]);
  });

  it('tells the state of each job of a tag', async () => {
    await bench.add('A', 2, { tag: 'spring' });
    const job = (await bench.take())!;
    const { reply } = await page('', 'tag', 'spring', 10, '', '', '', '[]');
    const rows = reply as string[];
    const states = Object.fromEntries([2, 14].map((at) => [rows[at], rows[at + 4]]));
    expect(Object.values(states).toSorted()).toEqual(['active', 'ready']);
    expect(states[job.id!]).toBe('active');
  });
});
