import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { dedupKey } from '../dedup/dedup-key.js';
import { InvalidOptionsError, type EnqueueResult } from '../index.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

describe('enqueue', () => {
  it('A02 accepts exactly one of 50 concurrent submits of a key, from several producers', async () => {
    const producers = Array.from({ length: 5 }, () => world.producer());
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_value, at) => producers[at % 5]?.enqueue(world.job, payload)),
    );
    const outcomes = results.map((result) => result?.outcome);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(49);
    expect(await producers[0]?.queueCounts('parcels')).toMatchObject({ ready: 1, scheduled: 0 });
  });

  it('A07 tells odd keys apart, and accounts of one key', async () => {
    const keys = ['a:b', 'a:b:c', 'https://example.com/?q=1#x', '42', '🦊', '\u0000', 'x'.repeat(10_000)];
    const tuples = [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a', 'b', 'c'],
    ];
    const producer = world.producer();
    const results: EnqueueResult[] = [];
    for (const accountId of ['acme', 'umbrella:1']) {
      for (const parcel of [...keys, ...tuples]) {
        results.push(await producer.enqueue(world.job, { accountId, parcel }));
      }
    }
    expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'accepted'));
    expect(new Set(results.map(idOf)).size).toBe(20);
    for (const result of results) {
      expect(await producer.job(idOf(result))).toMatchObject({
        state: 'ready',
        key: expect.stringMatching(/^[\da-f]{64}$/),
      });
    }
  });

  it('A25 treats an account named __proto__ as any other', async () => {
    const producer = world.producer();
    const input = JSON.parse(
      '{"accountId":"__proto__","parcel":"p","__proto__":{"polluted":true}}',
    ) as typeof payload;
    const result = await producer.enqueue(world.job, input);
    const seen: unknown[] = [];
    await world.consumer(async (given, ctx) => void seen.push(ctx.job.account, Object.keys(given)));
    await world.untilState(producer, idOf(result), 'completed');
    expect(seen).toEqual(['__proto__', ['accountId', 'parcel']]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('refuses a payload that does not fit, with the path, and stores nothing', async () => {
    const wrong = { accountId: 'acme', parcel: ['a', 7] } as unknown as typeof payload;
    const result = await world.producer().enqueue(world.job, wrong);
    expect(result).toMatchObject({ outcome: 'refused', code: 'invalid_payload' });
    expect(result.outcome === 'refused' && result.issues[0]?.path).toContain('parcel');
    expect(await redis.client.keys(`${redis.prefix}*`)).toEqual([]);
  });

  it('refuses an empty account and a payload above the bound', async () => {
    const producer = world.producer({ maxPayloadBytes: 200 });
    expect(await producer.enqueue(world.job, { ...payload, accountId: '' })).toMatchObject({
      outcome: 'refused',
      code: 'invalid_payload',
    });
    expect(await producer.enqueue(world.job, { ...payload, note: 'x'.repeat(200) })).toMatchObject({
      outcome: 'refused',
      code: 'payload_too_large',
    });
  });

  it.each([
    [{ delayMs: Number.NaN }],
    [{ delayMs: -1 }],
    [{ delayMs: Number.POSITIVE_INFINITY }],
    [{ runAt: new Date('rubbish') }],
    [{ runAt: new Date(), delayMs: 1 }],
    [{ priority: 1.5 }],
    [{ priority: -1 }],
    [{ priority: 2 ** 21 }],
  ])('throws for options that cannot be meant: %o', async (options) => {
    await expect(world.producer().enqueue(world.job, payload, options)).rejects.toThrow(InvalidOptionsError);
  });

  it('schedules by date or delay, runs a past date at once, and keeps the priority', async () => {
    const producer = world.producer();
    const runAt = new Date(Date.now() + 3_600_000);
    const later = idOf(await producer.enqueue(world.job, payload, { runAt, priority: 7 }));
    const view = await producer.job(later);
    expect(view).toMatchObject({ state: 'scheduled', priority: 7 });
    expect(Math.abs(Date.parse(view?.nextRunAt ?? '') - runAt.getTime())).toBeLessThan(50);
    const past = await producer.enqueue(
      world.job,
      { ...payload, parcel: 'p-2' },
      { runAt: new Date(Date.now() - 60_000) },
    );
    expect(past).toMatchObject({ state: 'ready' });
  });

  it('answers a job view with who the job is', async () => {
    const producer = world.producer();
    const result = await producer.enqueue(world.job, { ...payload, note: 'spring' });
    expect(await producer.job(idOf(result))).toEqual({
      id: idOf(result),
      key: result.outcome === 'refused' ? '' : result.key,
      name: 'parcel.send',
      version: 1,
      queue: 'parcels',
      account: 'acme',
      limitGroup: 'default',
      tag: 'spring',
      state: 'ready',
      priority: 0,
      attempts: { made: 0, max: 8 },
      stalls: 0,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      effects: [],
    });
    expect(await producer.job('A'.repeat(22))).toBeUndefined();
    expect(await producer.job('')).toBeUndefined();
  });

  it('finds a job in any declared queue when the dedup memory has lost it, and does not add it twice', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await redis.client.del(dedupKey(redis.prefix, id).bucketKey);
    expect(await producer.job(id)).toMatchObject({ queue: 'parcels', state: 'ready' });
    expect(await producer.enqueue(world.job, payload)).toMatchObject({
      outcome: 'duplicate',
      state: 'ready',
    });
  });

  it('sends a job that was handed in in the turn in which the producer is closed', async () => {
    const producer = world.producer();
    await producer.queueCounts('parcels');
    const result = producer.enqueue(world.job, payload);
    await producer.close();
    expect(await result).toMatchObject({ outcome: 'accepted' });
    expect(await world.producer().queueCounts('parcels')).toMatchObject({ ready: 1 });
  });

  it('survives a script flush between two calls', async () => {
    const producer = world.producer();
    await producer.enqueue(world.job, payload);
    await redis.client.script('FLUSH');
    expect(await producer.enqueue(world.job, { ...payload, parcel: 'p-2' })).toMatchObject({
      outcome: 'accepted',
    });
    await redis.client.script('FLUSH');
    const many: EnqueueResult[] = [];
    const parcels = ['p-3', 'p-4', 'p-4'].map((parcel) => ({ ...payload, parcel }));
    for await (const result of producer.enqueueMany(world.job, parcels)) many.push(result);
    expect(many.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'duplicate']);
  });

  it('R14 remembers a key in fewer than 75 bytes', async () => {
    const parcels = (function* () {
      for (let at = 0; at < 8_000; at += 1) yield { accountId: 'acme', parcel: String(at) };
    })();
    const buckets = new Set<string>();
    for await (const result of world.producer().enqueueMany(world.job, parcels)) {
      buckets.add(dedupKey(redis.prefix, idOf(result)).bucketKey);
    }
    const bytesByLength = new Map<number, number>();
    for (const bucket of buckets) {
      const length = await redis.client.hlen(bucket);
      if (!bytesByLength.has(length))
        bytesByLength.set(length, Number(await redis.client.memory('USAGE', bucket)));
    }
    // The difference, as a bucket costs something by itself that its up to 128 entries share.
    const [one = 0, three = Number.POSITIVE_INFINITY] = [1, 3].map((length) => bytesByLength.get(length));
    expect((three - one) / 2).toBeLessThan(75);
  });
});
