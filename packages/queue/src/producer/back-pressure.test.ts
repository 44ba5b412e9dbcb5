import { createCatalogue, defineJob, defineLimitGroups, defineQueues } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineParcelJob } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';
import { World } from '../../test/support/world.js';
import { finishedPerSecond, retryAfterMs, UNKNOWN_DRAIN_MS } from './drain-rates.js';
import type { EnqueueResult } from './enqueue-result.js';
import { Patience } from './patience.js';

const redis = useRedis();
const world = new World(redis);

const bounds = { maxWaiting: 6, maxWaitingPerAccount: 4 };
const catalogueOf = () =>
  createCatalogue({
    jobs: [defineParcelJob(), letter],
    queues: defineQueues({ parcels: { slots: 5, ...bounds } }),
    limitGroups: defineLimitGroups({ air: {}, sea: {} }),
  });

/** Its account has a lane for each group. */
const letter = defineJob({
  name: 'letter.send',
  payload: z.object({ accountId: z.string(), letter: z.number(), by: z.enum(['air', 'sea']) }),
  account: (p) => p.accountId,
  key: (p) => [p.letter],
  limitGroup: (p) => p.by,
  queue: 'parcels',
});

const parcel = (accountId: string, number: number) => ({ accountId, parcel: `${accountId}-${number}` });

function codesOf(results: readonly EnqueueResult[]): string[] {
  return results.map((result) => (result.outcome === 'refused' ? result.code : result.outcome));
}

async function many(results: AsyncIterable<EnqueueResult>): Promise<EnqueueResult[]> {
  const all = [];
  for await (const result of results) all.push(result);
  return all;
}

describe('back-pressure', () => {
  it('R14 refuses what goes beyond the bound of an account, then of the queue, and stores nothing of it', async () => {
    const producer = world.producer({ catalogue: catalogueOf() });
    const results = [];
    for (let number = 0; number < 5; number += 1) {
      results.push(await producer.enqueue(world.job, parcel('acme', number)));
    }
    expect(codesOf(results)).toEqual([...Array<string>(4).fill('accepted'), 'queue_full']);
    expect(results[4]).toMatchObject({
      issues: [
        {
          path: '',
          message: '4 jobs of the account wait in the queue parcels, as many as may (maxWaitingPerAccount)',
        },
      ],
      retryAfterMs: UNKNOWN_DRAIN_MS,
    });
    const others = await many(
      producer.enqueueMany(
        world.job,
        [0, 1, 2].map((number) => parcel('globex', number)),
      ),
    );
    expect(codesOf(others)).toEqual(['accepted', 'accepted', 'queue_full']);
    expect(others[2]).toMatchObject({
      issues: [{ message: expect.stringContaining('6 jobs wait') as string }],
    });

    const before = (await redis.client.keys(`${redis.prefix}*`)).toSorted();
    const refused = await producer.enqueue(world.job, parcel('initech', 1));
    expect(codesOf([refused])).toEqual(['queue_full']);
    expect((await redis.client.keys(`${redis.prefix}*`)).toSorted()).toEqual(before);
    expect(await producer.queueCounts('parcels')).toMatchObject({ ready: 6 });
  });

  it('R14 the bound of an account is one over the lanes of all its groups', async () => {
    const producer = world.producer({ catalogue: catalogueOf() });
    const letters = [0, 1, 2, 3, 4].map((number) => ({
      accountId: 'acme',
      letter: number,
      by: number % 2 === 0 ? ('air' as const) : ('sea' as const),
    }));
    const results = await many(producer.enqueueMany(letter, letters));
    expect(codesOf(results)).toEqual([...Array<string>(4).fill('accepted'), 'queue_full']);
  });

  it('R12 a duplicate or a conflict of a waiting job is told as such, full or not', async () => {
    const producer = world.producer({ catalogue: catalogueOf() });
    for (let number = 0; number < 4; number += 1) await producer.enqueue(world.job, parcel('acme', number));
    const again = await producer.enqueue(world.job, parcel('acme', 0));
    const other = await producer.enqueue(world.job, { ...parcel('acme', 1), note: 'fragile' });
    expect(codesOf([again, other])).toEqual(['duplicate', 'conflict']);
  });

  it('counts what is scheduled, prioritised or held as waiting, and not what runs or has ended', async () => {
    const catalogue = catalogueOf();
    const producer = world.producer({ catalogue });
    const operations = world.operations({ catalogue });
    await operations.pause('acme', 'a test');
    await producer.enqueue(world.job, parcel('acme', 0));
    await producer.enqueue(world.job, parcel('acme', 1), { priority: 5 });
    await producer.enqueue(world.job, parcel('acme', 2), { delayMs: 60_000 });
    await producer.enqueue(world.job, parcel('acme', 3), { delayMs: 60_000, priority: 1 });
    expect(codesOf([await producer.enqueue(world.job, parcel('acme', 4), { delayMs: 60_000 })])).toEqual([
      'queue_full',
    ]);
    await operations.resume('acme', 'a test');
    let letGo!: () => void;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    await world.consumer(() => gate, { catalogue });
    await until('two run', async () => (await producer.queueCounts('parcels')).active === 2);
    expect(codesOf([await producer.enqueue(world.job, parcel('acme', 4), { delayMs: 60_000 })])).toEqual([
      'accepted',
    ]);
    letGo();
  });

  it('a stream waits for room while the queue drains, and loses nothing', async () => {
    const catalogue = catalogueOf();
    const producer = world.producer({ catalogue });
    await world.consumer(async () => undefined, { catalogue });
    const payloads = Array.from({ length: 300 }, (_value, number) => parcel(`a${number % 3}`, number));
    const results = await many(
      producer.enqueueMany(world.job, payloads, { patience: new Patience({ waitMs: 20_000 }) }),
    );
    expect(new Set(codesOf(results))).toEqual(new Set(['accepted']));
    await until('all are done', async () => (await producer.queueCounts('parcels')).completed === 300);
  });

  it('a stream gives up when nothing moves, or when its reader does, and is then refused at once', async () => {
    const producer = world.producer({ catalogue: catalogueOf() });
    const payloads = Array.from({ length: 1_000 }, (_value, number) => parcel('acme', number));
    const startedAt = performance.now();
    const results = await many(
      producer.enqueueMany(world.job, payloads, { patience: new Patience({ waitMs: 300 }) }),
    );
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
    expect(codesOf(results)).toEqual([
      ...Array<string>(4).fill('accepted'),
      ...Array<string>(996).fill('queue_full'),
    ]);
    const patience = new Patience({ waitMs: 600_000, signal: AbortSignal.timeout(50) });
    const left = await many(producer.enqueueMany(world.job, payloads.slice(4), { patience }));
    expect(new Set(codesOf(left))).toEqual(new Set(['queue_full']));
  });
});

describe('the time to come back', () => {
  it('is when a hundredth of the bound has drained, from one second to a minute', () => {
    expect(retryAfterMs(100_000, 100)).toBe(10_000);
    expect(retryAfterMs(100, 100)).toBe(1_000);
    expect(retryAfterMs(1_000_000, 1)).toBe(60_000);
    expect([retryAfterMs(100, 0), retryAfterMs(100, undefined)]).toEqual([
      UNKNOWN_DRAIN_MS,
      UNKNOWN_DRAIN_MS,
    ]);
  });

  it('comes from the jobs that ended over the last minute, or since the first one did', () => {
    const quarterPast = 15_000;
    expect(finishedPerSecond(150, 600, quarterPast)).toBe((150 + 450) / 60);
    expect(finishedPerSecond(150, undefined, quarterPast)).toBe(10);
    expect(finishedPerSecond(3, undefined, 200)).toBe(3);
  });

  it('is known to producers once workers have finished jobs', async () => {
    const catalogue = catalogueOf();
    const producer = world.producer({ catalogue });
    const consumer = await world.consumer(async () => undefined, { catalogue });
    for (let number = 0; number < 4; number += 1) await producer.enqueue(world.job, parcel('acme', number));
    await until('all are done', async () => (await producer.queueCounts('parcels')).completed === 4);
    await consumer.close();
    for (let number = 4; number < 8; number += 1) await producer.enqueue(world.job, parcel('acme', number));
    const full = await producer.enqueue(world.job, parcel('acme', 8));
    expect(full).toMatchObject({ code: 'queue_full', retryAfterMs: 1_000 });
  });
});
