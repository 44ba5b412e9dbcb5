import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { defineParcelJob } from '../../test/support/parcels.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

const angry = {
  toJSON() {
    throw new Error('not today');
  },
};

describe('A24 a result that cannot be stored', () => {
  it.each([
    ['circular', circular(), { unserialisable: expect.stringContaining('circular') }],
    ['a BigInt', 12n, { unserialisable: expect.stringContaining('BigInt') }],
    ['a BigInt within', { weight: 12n }, { unserialisable: expect.stringContaining('BigInt') }],
    ['a function', () => 1, { unserialisable: 'a function is not a JSON value' }],
    ['one whose toJSON throws', angry, { unserialisable: 'not today' }],
    ['too large', 'x'.repeat(300_000), { tooLarge: true, bytes: 300_002 }],
    ['undefined', undefined, null],
    ['one that fits', { sent: ['a', 1] }, { sent: ['a', 1] }],
  ])('%s: the job is completed after one run', async (_what, result, stored) => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let runs = 0;
    await world.consumer(async () => {
      runs += 1;
      return result;
    });
    const view = await world.untilState(producer, id, 'completed');
    expect(view.result).toEqual(stored);
    expect(runs).toBe(1);
    expect(world.lines).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'no'],
    ['a number', 7],
    [
      'an object that cannot be read',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('hidden');
          },
        },
      ),
    ],
  ])('throwing %s spends attempts and ends', async (_what, thrown) => {
    world.job = defineParcelJob({ retry: { attempts: 2, baseMs: 1, capMs: 1 } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async () => {
      throw thrown;
    });
    const view = await world.untilState(producer, id, 'dead');
    expect(view).toMatchObject({
      attempts: { made: 2 },
      lastError: { code: 'attempts_exhausted', class: 'unknown' },
    });
    expect(world.lines).toEqual([]);
  });

  it('a handler that throws before its first await is no different', async () => {
    world.job = defineParcelJob({ retry: { attempts: 1 } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(() => {
      throw new TypeError('at once');
    });
    expect((await world.untilState(producer, id, 'dead')).lastError?.message).toContain('at once');
  });
});
