import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { plainWorkers } from './fleet.js';
import { laneKeys } from './keys.js';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();
const benches: LaneBench[] = [];

function openBench(): LaneBench {
  const bench = new LaneBench(redis, { groups: { email: { default: { maxInFlight: 3 } } } });
  // What the server refuses while it is full is told, and the point is what follows.
  bench.worker.on('error', () => undefined);
  bench.queue.on('error', () => undefined);
  benches.push(bench);
  return bench;
}

afterEach(async () => {
  await redis.client.config('SET', 'maxmemory', 0);
  for (const bench of benches.splice(0)) await bench.close();
});

/** Ids of the blocking connections of the queue's workers, as the server lists them. */
async function blockingIds({ prefix, name }: LaneBench): Promise<string[]> {
  const stem = ` name=${prefix}:${Buffer.from(name).toString('base64')}`;
  const list = String(await redis.client.client('LIST')).split('\n');
  return list.filter((line) => line.includes(stem)).map((line) => /^id=(\d+)/.exec(line)?.[1] ?? '');
}

async function fleet({ prefix, name }: LaneBench): Promise<string[]> {
  return redis.client.smembers(laneKeys(prefix).workers(name));
}

describe('the fleet of a queue', () => {
  it('R8: a worker that says it is ready has joined, so that its first job need not wait for that', async () => {
    for (let round = 0; round < 5; round += 1) {
      const bench = openBench();
      await bench.worker.waitUntilReady();
      expect(await fleet(bench)).toEqual(await blockingIds(bench));
      await benches.pop()!.close();
    }
  });

  it('A29: a worker that connects again while the server is full joins once it is not', async () => {
    const bench = openBench();
    await expect.poll(async () => fleet(bench)).toHaveLength(1);
    const [before = ''] = await fleet(bench);

    await redis.client.config('SET', 'maxmemory', 1);
    const refused = new Promise((resolve) => bench.worker.on('error', resolve));
    await redis.client.client('KILL', 'ID', before);
    expect(String(await refused)).toMatch(/OOM/);
    expect(await fleet(bench)).toEqual([before]);

    await redis.client.config('SET', 'maxmemory', 0);
    await expect.poll(async () => fleet(bench)).toContain((await blockingIds(bench))[0]);
  });

  it('a worker that joins while another process looks at the fleet stays in it', async () => {
    const first = openBench();
    await expect.poll(async () => fleet(first)).toHaveLength(1);
    const joinAnother = async (): Promise<void> => {
      openBench();
      await expect.poll(async () => fleet(first)).toHaveLength(2);
    };
    // After the first of the questions that a look at the fleet asks, whichever that is.
    let asked = 0;
    const slow = new Proxy(redis.client, {
      get(client, name) {
        const method: unknown = Reflect.get(client, name, client);
        return async (...args: unknown[]): Promise<unknown> => {
          const reply: unknown = await (method as (...args: unknown[]) => unknown).apply(client, args);
          asked += 1;
          if (asked === 1) await joinAnother();
          return reply;
        };
      },
    });
    expect(await plainWorkers(slow, first.prefix, [first.name])).toEqual(new Map());
    expect((await fleet(first)).toSorted()).toEqual((await blockingIds(first)).toSorted());
  });

  it('those that are gone are taken out', async () => {
    const bench = openBench();
    await expect.poll(async () => fleet(bench)).toHaveLength(1);
    const present = await fleet(bench);
    await redis.client.sadd(laneKeys(bench.prefix).workers(bench.name), '1');
    await plainWorkers(redis.client, bench.prefix, [bench.name]);
    expect(await fleet(bench)).toEqual(present);
  });

  it('A29: limits of a group reach the server though it was full when the worker started', async () => {
    await redis.client.config('SET', 'maxmemory', 1);
    const bench = openBench();
    await new Promise((resolve) => bench.worker.once('error', resolve));
    expect(await redis.client.hget(laneKeys(bench.prefix).group('email'), 'm')).toBeNull();
    await redis.client.config('SET', 'maxmemory', 0);
    await expect.poll(async () => redis.client.hget(laneKeys(bench.prefix).group('email'), 'm')).toBe('3');
  });
});
