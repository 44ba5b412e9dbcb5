import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { defineParcelJob } from '../../test/support/parcels.js';
import { idOf, World } from '../../test/support/world.js';
import { MinuteReader } from './minute-reader.js';
import { createStatistics, type Statistics, type StatisticsOptions } from './statistics.js';

const redis = useRedis();
const world = new World(redis);
const opened: Statistics[] = [];
const payload = (parcel: string) => ({ accountId: 'acme', parcel });

afterEach(async () => {
  for (const statistics of opened.splice(0)) await statistics.close();
});

function open(options: Partial<StatisticsOptions> = {}): Statistics {
  const { catalogue, logger } = world;
  const { url, prefix } = redis;
  const statistics = createStatistics({ redis: url, prefix, catalogue, logger, ...options });
  opened.push(statistics);
  return statistics;
}

/** Puts amounts into a minute, as a process did that counted then. */
async function past(minute: number, fields: Record<string, number>): Promise<void> {
  await redis.client.hset(`${redis.prefix}::st:parcels:${minute}`, fields);
}

describe('figures of a queue', () => {
  it('are of the last minute and hour, the minute in which the time began by its share', async () => {
    const minute = 29_000_000;
    await past(minute, { e: 30, c: 10, d: 10, o: 10, f: 30, w40: 100 });
    await past(minute - 1, { e: 40 });
    await past(minute - 60, { e: 400 });
    await past(minute - 61, { e: 4_000 });
    const reader = new MinuteReader(redis.client, redis.prefix);
    const figures = await reader.figures('parcels', minute * 60_000 + 45_000);
    // A quarter of the minute before lies within the last 60 seconds.
    expect(figures.minute).toMatchObject({
      enqueued: 40,
      completed: 10,
      dead: 10,
      errorRate: 0.75,
      timeInQueueMs: { p50: 939, p99: 939 },
      processingMs: { p50: null, p99: null },
    });
    expect(figures.minute.enqueuedPerSecond).toBeCloseTo(40 / 60, 3);
    expect(figures.minute.finishedPerSecond).toBeCloseTo(20 / 60, 3);
    expect(figures.hour).toMatchObject({ enqueued: 30 + 40 + 100, errorRate: 0.75 });
  });

  it('come by the minute, without a sample where nobody looked', async () => {
    const minute = 29_000_000;
    await past(minute - 2, { e: 4 });
    await past(minute - 1, { e: 6, '=r': 5, '=h': 2, '=a': 1, '=o': 700 });
    const reader = new MinuteReader(redis.client, redis.prefix);
    const series = await reader.series('parcels', 3, minute * 60_000 + 10_000);
    expect(series.map(({ at, enqueued, sample }) => [at / 60_000, enqueued, sample])).toEqual([
      [minute - 2, 4, null],
      [minute - 1, 6, { ready: 5, held: 2, active: 1, oldestEligibleAgeMs: 700 }],
      [minute, 0, null],
    ]);
    // What is over is not read again.
    await past(minute - 2, { e: 1_000 });
    const [first] = await reader.series('parcels', 3, minute * 60_000 + 20_000);
    expect(first).toMatchObject({ enqueued: 4 });
    expect(await reader.series('parcels', 1_000, minute * 60_000)).toHaveLength(61);
  });

  it('are there a second after the work', async () => {
    world.job = defineParcelJob();
    const producer = world.producer();
    await world.consumer(async () => undefined);
    const id = idOf(await producer.enqueue(world.job, payload('p-1')));
    await world.untilState(producer, id, 'completed');
    const statistics = open();
    await expect
      .poll(async () => (await statistics.figures('parcels')).minute)
      .toMatchObject({ enqueued: 1, started: 1, completed: 1, dead: 0, errorRate: 0 });
    const { minute } = await statistics.figures('parcels');
    expect(minute.timeInQueueMs.p50).toBeGreaterThan(0);
    expect(minute.processingMs.p99).toBeGreaterThan(0);
  });
});

describe('states of the queues', () => {
  it('are the same wherever they are asked for, looked at by one process at a time', async () => {
    const producer = world.producer();
    await producer.enqueue(world.job, payload('p-1'));
    await producer.enqueue(world.job, payload('p-2'), { delayMs: 60_000 });
    const [one, other] = [open({ surveyEveryMs: 600 }), open({ surveyEveryMs: 600 })];
    await expect
      .poll(async () => (await one.states()).get('parcels'))
      .toMatchObject({ counts: { ready: 1, scheduled: 1 }, openLanes: 1, held: {}, isWhole: true });
    const turns = new Set<number>();
    await expect
      .poll(async () => {
        const [mine, theirs] = await Promise.all([one.states(), other.states()]);
        turns.add(mine.get('parcels')?.at ?? 0);
        turns.add(theirs.get('parcels')?.at ?? 0);
        return turns.size;
      })
      .toBe(3);
    const looks = [...turns].toSorted((first, second) => first - second);
    for (const [at, look] of looks.slice(1).entries()) {
      // A look takes its time, so two may be nearer than their turns.
      expect(look - (looks[at] ?? 0)).toBeGreaterThanOrEqual(300);
    }
    expect((await one.series('parcels', 1))[0]?.sample).toMatchObject({ ready: 1, held: 0, active: 0 });
  });

  it('take the jobs of a paused queue and of a paused account for held', async () => {
    const producer = world.producer();
    await producer.enqueue(world.job, payload('p-1'));
    await producer.enqueue(world.job, { accountId: 'other', parcel: 'p-2' });
    await world.operations().pause('other', 'test');
    await world.queue().queue.pause();
    await expect
      .poll(async () => (await open().states()).get('parcels'))
      .toMatchObject({
        paused: true,
        oldestEligibleAgeMs: null,
        openLanes: 0,
        held: { queue_paused: { lanes: 1 }, paused: { lanes: 1 } },
      });
  });
});
