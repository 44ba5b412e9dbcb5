import { START_PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { beatingProcess } from '../../test/support/beating-process.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

describe('the registry of workers', () => {
  it('tells what a worker serves, can handle and runs, and forgets one that left', async () => {
    const operations = world.operations();
    const id = idOf(await world.producer().enqueue(world.job, payload));
    let finish: (() => void) | undefined;
    const consumer = await world.consumer(() => new Promise<void>((resolve) => (finish = resolve)), {
      queues: { parcels: { slots: 5 }, letters: { slots: { min: 1, max: 4 } } },
      beatEveryMs: 50,
    });
    const busy = await until('the job is told', async () => {
      const [worker] = await operations.workers();
      return worker?.status === 'busy' ? worker : undefined;
    });
    expect(busy).toMatchObject({
      pid: process.pid,
      slots: 6,
      busy: 1,
      served: [
        { queue: 'parcels', slots: 5, maxSlots: 5, busy: 1 },
        { queue: 'letters', slots: 1, maxSlots: 4, busy: 0 },
      ],
      jobs: [{ id, name: 'parcel.send', queue: 'parcels' }],
      handles: { 'parcel.send': 1 },
      eventLoopLagMs: expect.any(Number),
    });
    expect((await operations.job(id))?.worker).toBe(busy.id);
    expect(Math.abs(busy.lastBeatMs - Date.now())).toBeLessThan(5_000);

    const drained = consumer.drain(5_000);
    await until('it is told to drain', async () => (await operations.workers())[0]?.status === 'draining');
    finish?.();
    await drained;
    expect(await operations.workers()).toEqual([]);
    for (const key of [`${redis.prefix}::wk`, `${redis.prefix}::wk:said`]) {
      expect(await redis.client.exists(key)).toBe(0);
    }
  });

  it('a worker whose event loop is blocked hangs, one that was killed is lost', async () => {
    const operations = world.operations();
    const worker = beatingProcess(redis);
    const status = async () => (await operations.workers())[0]?.status;
    await until('it beats', async () => (await status()) === 'idle', START_PATIENCE_MS);
    worker.kill('SIGSTOP');
    await until('it hangs', async () => (await status()) === 'hung');
    worker.kill('SIGCONT');
    await until('it beats again', async () => (await status()) === 'idle');
    worker.kill('SIGKILL');
    await until('it is lost', async () => (await status()) === 'lost');
  });

  it('A27 a lost worker stays lost when its connection id is given anew after a restart of Redis', async () => {
    const operations = world.operations();
    const worker = beatingProcess(redis);
    const lone = async () => (await operations.workers())[0];
    await until('it beats', async () => (await lone())?.status === 'idle', START_PATIENCE_MS);
    worker.kill('SIGKILL');
    await until('it is lost', async () => (await lone())?.status === 'lost');
    const id = (await lone())!.id;
    // Ages are told in whole seconds.
    await until(
      'its last beat is some seconds old',
      async () => Date.now() - (await lone())!.lastBeatMs > 2_500,
    );

    const another = redis.client.duplicate();
    onTestFinished(() => another.disconnect());
    const said = `${redis.prefix}::wk:said`;
    const beat = JSON.parse((await redis.client.hget(said, id))!) as object;
    const connection = String(await another.client('ID'));
    await redis.client.hset(said, id, JSON.stringify({ ...beat, connection }));
    expect((await lone())?.status).toBe('lost');
  });

  it('R14 keeps a thousand workers at most, for an hour', async () => {
    const [beats, said] = [`${redis.prefix}::wk`, `${redis.prefix}::wk:said`];
    for (let at = 0; at < 1_010; at += 1) {
      await redis.client.zadd(beats, Date.now() - at, `w-${at}`);
      await redis.client.hset(said, `w-${at}`, '{}');
    }
    await redis.client.zadd(beats, Date.now() - 3_700_000, 'forgotten');
    await world.consumer(async () => undefined, { beatEveryMs: 50 });
    await until('those beyond are gone', async () => (await redis.client.zcard(beats)) === 1_000);
    expect(await redis.client.zscore(beats, 'forgotten')).toBeNull();
    expect(await redis.client.hlen(said)).toBeLessThanOrEqual(1_000);
    expect(await redis.client.pttl(beats)).toBeGreaterThan(3_500_000);
  });
});
