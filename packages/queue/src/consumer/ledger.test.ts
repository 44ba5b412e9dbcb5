import { createEffectRunner, createRedisLedger, type EffectLedger } from '@fairlane/ledger';
import { RetryableError, UnknownOutcomeError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineParcelJob } from '../../test/support/parcels.js';
import { idOf, World } from '../../test/support/world.js';
import { LedgerSweeper } from '../dedup/ledger-sweeper.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };
let ledger: EffectLedger;

beforeEach(() => {
  ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
  world.job = defineParcelJob({ retry: { baseMs: 1, capMs: 2 } });
});
afterEach(async () => ledger.close());

const ambiguous = () => new RetryableError({ reason: 'the depot hung up' });

describe('R2 effects on a ledger', () => {
  it('performs an effect once over several attempts, and shows it with the job', async () => {
    const producer = world.producer({ effects: ledger });
    const id = idOf(await producer.enqueue(world.job, payload));
    let sent = 0;
    await world.consumer(
      async (_payload, { attempt, effect }) => {
        const label = await effect('send', { perform: async () => ({ id: `m-${(sent += 1)}` }) });
        if (attempt < 3) throw new Error('the scale is off');
        return label;
      },
      { effects: createEffectRunner({ ledger }) },
    );
    const view = await world.untilState(producer, id, 'completed');
    expect(sent).toBe(1);
    expect(view).toMatchObject({ attempts: { made: 3 }, result: { id: 'm-1' } });
    expect(view.effects).toEqual([
      { name: 'send', state: 'done', externalId: 'm-1', at: expect.any(String) },
    ]);
    expect((await world.operations({ effects: ledger }).job(id))?.effects).toEqual(view.effects);
  });

  it.each([
    ['cannot be asked', undefined],
    [
      'says for good that it cannot tell',
      async () => {
        throw new UnknownOutcomeError();
      },
    ],
  ])('is dead with unknown_outcome where the outside %s, and never sends again', async (_what, ask) => {
    const producer = world.producer({ effects: ledger });
    const id = idOf(await producer.enqueue(world.job, payload));
    let sent = 0;
    await world.consumer(
      async (_payload, { effect }) => {
        await effect('send', {
          perform: async () => {
            sent += 1;
            throw ambiguous();
          },
          ...(ask === undefined ? {} : { alreadyApplied: ask }),
        });
      },
      { effects: createEffectRunner({ ledger }) },
    );
    const view = await world.untilState(producer, id, 'dead');
    expect(view.lastError).toMatchObject({ code: 'unknown_outcome', class: 'permanent' });
    expect(view.effects).toMatchObject([{ name: 'send', state: 'unknown' }]);
    expect(sent).toBe(1);
  });

  it('asks the outside after an unknown outcome, and puts the job off, not its account, until the answer counts', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const others = idOf(await producer.enqueue(world.job, { ...payload, parcel: 'p-2' }));
    let sent = 0;
    await world.consumer(
      async ({ parcel }, { effect }) => {
        if (parcel === 'p-2') return;
        await effect('send', {
          perform: async () => {
            sent += 1;
            if (sent === 1) throw ambiguous();
          },
          alreadyApplied: async () => undefined,
          timeoutMs: 200,
          settleMs: 100,
        });
      },
      { effects: createEffectRunner({ ledger }) },
    );
    await world.untilState(producer, others, 'completed');
    const view = await world.untilState(producer, id, 'completed');
    expect(sent).toBe(2);
    // The attempt that found no answer yet is not counted.
    expect(view.attempts.made).toBe(2);
  });
});

describe('R14 the ledger', () => {
  it('forgets effects only of jobs whose key is free again', async () => {
    const producer = world.producer({ effects: ledger });
    const ids = [
      idOf(await producer.enqueue(world.job, payload)),
      idOf(await producer.enqueue(world.job, { ...payload, parcel: 'p-2' })),
    ] as const;
    await world.consumer(async (_payload, { effect }) => effect('send', { perform: async () => 'sent' }), {
      effects: createEffectRunner({ ledger }),
    });
    for (const id of ids) await world.untilState(producer, id, 'completed');
    const [kept, forgotten] = ids;
    const [entry] = await redis.client.keys(`${redis.prefix}::dedup:${forgotten.slice(0, 2)}*`);
    await redis.client.hdel(entry ?? '', forgotten.slice(2));
    await new LedgerSweeper({
      ledger,
      memory: world.memory(),
      retentionMs: -1_000,
      logger: world.logger,
    }).sweep();
    expect(await ledger.effects(kept)).toHaveLength(1);
    expect(await ledger.effects(forgotten)).toEqual([]);
  });
});
