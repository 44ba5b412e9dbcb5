import { defineJob, implement } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { parcelCatalogue, type ParcelJob } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

async function enqueueThree() {
  const producer = world.producer();
  const ids: string[] = [];
  for (const parcel of ['before', 'poison', 'after']) {
    ids.push(idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel })));
  }
  const [before = '', poison = '', after = ''] = ids;
  return { producer, before, poison, after, hash: `${redis.prefix}:parcels:${poison}` };
}

describe('A23 a job whose stored data was destroyed', () => {
  it.each([
    ['no JSON', '{bad', 'unreadable'],
    ['null', 'null', 'unreadable'],
    ['nested 50,000 deep', DEEP, 'unreadable'],
    ['an envelope nested 50,000 deep', `{"v":1,"p":${DEEP}}`, 'unreadable'],
    ['without envelope', '{}', 'unreadable'],
    ['with a version that is none', '{"v":"1","p":{}}', 'unreadable'],
    ['with a payload that does not fit', '{"v":1,"p":{"accountId":"acme"}}', 'invalid_payload'],
  ])('%s: is dead with its raw text, its neighbours run, and it can be listed', async (_what, text, code) => {
    const { producer, before, poison, after, hash } = await enqueueThree();
    await redis.client.hset(hash, 'data', text);
    const parcels: string[] = [];
    await world.consumer(async (payload) => void parcels.push(String(payload.parcel)));

    const view = await world.untilState(producer, poison, 'dead');
    expect(view).toMatchObject({
      account: 'acme',
      key: expect.stringMatching(/^[\da-f]{64}$/),
      lastError: { code, class: 'permanent' },
      attempts: { made: 1 },
    });
    await world.untilState(producer, before, 'completed');
    await world.untilState(producer, after, 'completed');
    expect(parcels.toSorted()).toEqual(['after', 'before']);
    expect(await redis.client.hget(hash, 'data')).toBe(text);

    const { queue } = world.queue();
    const [listed] = await queue.getFailed();
    expect(listed?.id).toBe(poison);
    expect(() => JSON.stringify(listed)).not.toThrow();
  });

  it.each([
    ['data', 'unreadable'],
    ['name', 'unreadable'],
  ])('without the field %s: is dead', async (field, code) => {
    const { producer, poison, after, hash } = await enqueueThree();
    await redis.client.hdel(hash, field);
    await world.consumer(async () => undefined);
    expect((await world.untilState(producer, poison, 'dead')).lastError).toMatchObject({ code });
    await world.untilState(producer, after, 'completed');
  });

  it.each(['opts', 'progress', 'parent'])('with a broken field %s: runs', async (field) => {
    const { producer, poison, after, hash } = await enqueueThree();
    await redis.client.hset(hash, field, '{bad');
    await world.consumer(async () => undefined);
    await world.untilState(producer, poison, 'completed');
    await world.untilState(producer, after, 'completed');
    expect(world.lines).toEqual([]);
  });
});

describe('A22 a payload of another version', () => {
  const fields = { accountId: z.string(), parcel: z.string() };
  const common = {
    name: 'parcel.weigh',
    account: (p: { accountId: string }) => p.accountId,
    key: (p: { parcel: string }) => p.parcel,
    queue: 'parcels',
  } as const;
  const v1 = defineJob({ ...common, payload: z.object({ ...fields, kilos: z.number() }) });
  const v2 = defineJob({
    ...common,
    version: 2,
    payload: z.object({ ...fields, grams: z.number() }),
    upgrades: {
      1: (old) => {
        const { kilos, ...rest } = old as { kilos: number };
        return { ...rest, grams: kilos * 1_000 };
      },
    },
  });
  const catalogueOf = (job: typeof v1 | typeof v2) => parcelCatalogue(job as unknown as ParcelJob);

  it('is upgraded when older', async () => {
    const producer = world.producer({ catalogue: catalogueOf(v1) });
    const id = idOf(await producer.enqueue(v1, { accountId: 'acme', parcel: 'p', kilos: 2 }));
    const seen: unknown[] = [];
    const consumer = world.unstartedConsumer(
      [implement(v2, async (payload) => void seen.push(payload.grams))],
      {
        catalogue: catalogueOf(v2),
      },
    );
    await consumer.start();
    await world.untilState(producer, id, 'completed');
    expect(seen).toEqual([2_000]);
  });

  it('is dead with invalid_payload when its upgrade fails', async () => {
    const producer = world.producer({ catalogue: catalogueOf(v1) });
    const id = idOf(await producer.enqueue(v1, { accountId: 'acme', parcel: 'p', kilos: 2 }));
    const broken = defineJob({
      ...common,
      version: 2,
      payload: z.object({ ...fields, grams: z.number() }),
      upgrades: {
        1: () => {
          throw new Error('no scale');
        },
      },
    });
    const consumer = world.unstartedConsumer([implement(broken, async () => undefined)], {
      catalogue: catalogueOf(broken),
    });
    await consumer.start();
    expect((await world.untilState(producer, id, 'dead')).lastError).toMatchObject({
      code: 'invalid_payload',
    });
  });

  it('waits without an attempt when newer, and completes on a worker that knows it', async () => {
    const producer = world.producer({ catalogue: catalogueOf(v2) });
    const id = idOf(await producer.enqueue(v2, { accountId: 'acme', parcel: 'p', grams: 5 }));
    const old = world.unstartedConsumer([implement(v1, async () => 'old')], { catalogue: catalogueOf(v1) });
    await old.start();
    const held = await world.untilState(producer, id, 'held');
    expect(held).toMatchObject({ reason: 'no_handler', attempts: { made: 0 } });
    expect(held.lastError).toBeUndefined();
    await old.close();
    const { queue } = world.queue();
    await (await queue.getJob(id))?.promote();
    const current = world.unstartedConsumer([implement(v2, async () => 'new')], {
      catalogue: catalogueOf(v2),
    });
    await current.start();
    const view = await world.untilState(producer, id, 'completed');
    expect(view).toMatchObject({ result: 'new', attempts: { made: 1 } });
  });

  it('waits as well when no handler of its name is there', async () => {
    const producer = world.producer({ catalogue: catalogueOf(v1) });
    const id = idOf(await producer.enqueue(v1, { accountId: 'acme', parcel: 'p', kilos: 1 }));
    const consumer = world.unstartedConsumer([implement(world.job, async () => undefined)]);
    await consumer.start();
    expect(await world.untilState(producer, id, 'held')).toMatchObject({ reason: 'no_handler' });
    await until('nothing was logged as an error', () => world.lines.every(({ level }) => level !== 'error'));
  });
});
