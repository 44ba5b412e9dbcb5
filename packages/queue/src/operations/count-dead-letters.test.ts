import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { errorsOf, writeDead, type StoredLetter } from '../../test/support/dead-letters.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { countDead } from './count-dead-letters.js';
import { readDeadRows } from './dead-rows.js';

const redis = useRedis();
const world = new World(redis);

/** Dead letters, a tenth of them rejected, the rest timed out. */
async function bury(count: number, { queue = 'parcels', name = 'dead' } = {}) {
  const letter = (_none: unknown, at: number): StoredLetter => [
    `${name}-${at}`,
    1_000_000 + at,
    errorsOf(at % 10 === 0 ? 'rejected' : 'timeout'),
  ];
  await writeDead(redis, queue, Array.from({ length: count }, letter));
}

/** How many scripts Redis has run so far. */
async function scriptsRun(): Promise<number> {
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1];
  return Number(calls ?? 0);
}

describe('counting dead letters by code', () => {
  it('looks at all that match, over all queues', async () => {
    await bury(1_200);
    await bury(30, { queue: 'letters', name: 'other' });
    const operations = world.operations();
    expect(await operations.deadCodes()).toEqual({
      matched: 1_230,
      byCode: { rejected: 123, timeout: 1_107 },
      complete: true,
    });
    expect(await operations.deadCodes({ since: 1_001_000 })).toMatchObject({ matched: 200 });
    expect(await operations.deadCodes({ queue: 'letters' })).toMatchObject({ matched: 30 });
    expect(await operations.deadCodes({ code: 'rejected', until: 1_000_009 })).toMatchObject({
      byCode: { rejected: 2 },
    });
    expect(await operations.deadCodes({ account: 'nobody' })).toEqual({
      matched: 0,
      byCode: {},
      complete: true,
    });
  });

  it('R14 has a bound on what it looks at, and says when it met it', async () => {
    await bury(1_000);
    const { backend } = world.queue();
    const count = async (bound: number, code?: string) =>
      countDead(async (cursor) => {
        const filter = code === undefined ? {} : { code };
        const { rows, ...page } = await readDeadRows([backend], { filter, limit: 200, cursor });
        return { letters: rows, ...page };
      }, bound);
    expect(await count(400)).toMatchObject({ matched: 400, complete: false });
    expect(await count(1_200)).toMatchObject({ matched: 1_000, complete: true });
    // What does not match has been looked at all the same.
    expect(await count(400, 'nothing')).toMatchObject({ matched: 0 });
  });

  it('R14 is made once for all who ask for the same meanwhile and soon after, then anew', async () => {
    await bury(1_000);
    const operations = world.operations();
    const before = await scriptsRun();
    await operations.deadCodes({ code: 'timeout' });
    const cost = (await scriptsRun()) - before;
    const all = await Promise.all(Array.from({ length: 20 }, () => operations.deadCodes()));
    expect(new Set(all.map(({ matched }) => matched))).toEqual(new Set([1_000]));
    // At once, since on a busy machine the count of before is old soon.
    await operations.deadCodes();
    expect((await scriptsRun()) - before).toBeLessThanOrEqual(3 * cost);
    await bury(10, { name: 'later' });
    await until('it was counted anew', async () => (await operations.deadCodes()).matched === 1_010);
  });
});

describe('a bulk replay that was counted to the bound only', () => {
  it('goes on to the end, and its matched with it', async () => {
    const producer = world.producer();
    const consumer = await world.consumer(async () => {
      throw new PermanentError({ reason: 'no' });
    });
    const results = ['p-1', 'p-2', 'p-3'].map((parcel) =>
      producer.enqueue(world.job, { accountId: 'acme', parcel }),
    );
    for (const result of results) await world.untilState(producer, idOf(await result), 'dead');
    await consumer.close();
    const operations = world.operations();
    const started = await operations.replayAll({ filter: {}, perSecond: 1_000, by: 'somebody' });
    if (started.outcome !== 'started') throw new Error(`not started: ${started.outcome}`);
    const { id } = started.operation;
    await redis.client.hset(`${redis.prefix}::operation:${id}`, 'matched', 1);
    world.bulkRunner();
    const ended = await until('it has ended', async () => {
      const operation = await operations.operation(id);
      return operation?.state === 'done' ? operation : undefined;
    });
    expect(ended).toMatchObject({ matched: 3, done: 3, failed: 0 });
  });
});
