import { createEffectRunner, createRedisLedger, type EffectLedger } from '@fairlane/ledger';
import { createCatalogue, defineQueues, PermanentError, RetryableError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineParcelJob } from '../../test/support/parcels.js';
import { idOf, World } from '../../test/support/world.js';
import type { EffectDesk } from './dead-letters.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };
let ledger: EffectLedger;

beforeEach(() => {
  ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
});
afterEach(async () => ledger.close());

/** The outside: counts calls of each effect, and fails one as it is told to. */
class Depot {
  readonly calls: string[] = [];
  failing: { effect: string; error: Error } | undefined;

  perform(effect: string) {
    return async () => {
      this.calls.push(effect);
      if (this.failing?.effect === effect) throw this.failing.error;
      return { id: `${effect}-1` };
    };
  }
}

/** Performs `label`, then `send`; neither can be asked about nor repeated. */
async function startDepot(depot: Depot) {
  return world.consumer(
    async (_payload, { effect }) => {
      await effect('label', { perform: depot.perform('label') });
      return effect('send', { perform: depot.perform('send') });
    },
    { effects: createEffectRunner({ ledger }) },
  );
}

/** A job that died of the effect `send`. */
async function deadOf(error: Error) {
  const depot = new Depot();
  depot.failing = { effect: 'send', error };
  const producer = world.producer({ effects: ledger });
  const operations = world.operations({ effects: ledger });
  const id = idOf(await producer.enqueue(world.job, payload));
  const consumer = await startDepot(depot);
  await world.untilState(producer, id, 'dead');
  await consumer.close();
  depot.failing = undefined;
  return { depot, producer, operations, id };
}

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** The word of a person who has looked at the dead job, and whose word reaches the ledger later. */
function lateVerdict(id: string) {
  const hasLooked = gate();
  const mayTell = gate();
  const effects: EffectDesk = {
    effectsOf: (jobIds) => ledger.effectsOf(jobIds),
    unsettled: (jobIds) => ledger.unsettled(jobIds),
    resolve: async (request) => {
      hasLooked.open();
      await mayTell.opened;
      return ledger.resolve(request);
    },
  };
  const verdict = { outcome: 'applied', externalId: 'm-7' } as const;
  const answer = world.operations({ effects }).resolveEffect(id, 'send', verdict);
  return { hasLooked, mayTell, answer };
}

const ambiguous = () => new RetryableError({ reason: 'the depot hung up' });
const refused = () => new PermanentError({ reason: 'no such address' });

describe('replay', () => {
  it('R2 A05 is a new run of the same job that keeps finished effects', async () => {
    const { depot, producer, operations, id } = await deadOf(refused());
    expect(await operations.replay(id)).toBe('replayed');
    expect(await operations.replay(id)).toBe('not_dead');
    expect(await producer.job(id)).toMatchObject({
      state: 'ready',
      attempts: { made: 0 },
      effects: [{ name: 'label', state: 'done', externalId: 'label-1' }, { name: 'send' }],
    });
    expect(await producer.enqueue(world.job, payload)).toMatchObject({ outcome: 'duplicate', id });
    await startDepot(depot);
    const view = await world.untilState(producer, id, 'completed');
    expect(view).toMatchObject({ attempts: { made: 1 }, result: { id: 'send-1' } });
    expect(depot.calls).toEqual(['label', 'send', 'send']);
  });

  it('R2 is refused while the outcome of an effect is unknown', async () => {
    const { depot, producer, operations, id } = await deadOf(ambiguous());
    expect(await operations.replay(id)).toBe('unresolved_effect');
    expect(await producer.job(id)).toMatchObject({ state: 'dead', lastError: { code: 'unknown_outcome' } });
    expect(depot.calls).toEqual(['label', 'send']);
  });

  it('R2 is refused too when the ledger was away as the effect was given up', async () => {
    const { operations, id } = await deadOf(ambiguous());
    const key = `${redis.prefix}:ledger:job:${id}`;
    const effect = JSON.parse((await redis.client.hget(key, 'e:send')) ?? '') as object;
    await redis.client.hset(key, 'e:send', JSON.stringify({ ...effect, state: 'started' }));
    expect(await operations.replay(id)).toBe('unresolved_effect');
  });

  it('of many at once runs the job once', async () => {
    const { depot, producer, operations, id } = await deadOf(refused());
    const outcomes = await Promise.all(Array.from({ length: 8 }, async () => operations.replay(id)));
    expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(1);
    await startDepot(depot);
    await world.untilState(producer, id, 'completed');
    expect(depot.calls).toEqual(['label', 'send', 'send']);
  });

  it('A06 leaves a later run alone than the one that was looked at', async () => {
    const { producer, id } = await deadOf(refused());
    const { backend } = world.queue();
    const diedAtMs = Date.parse((await producer.job(id))?.finishedAt ?? '');
    expect(await backend.replayDead(id, diedAtMs - 1)).toBe(false);
    expect(await backend.removeDead(id, diedAtMs - 1)).toBe(false);
    expect(await backend.replayDead(id, diedAtMs)).toBe(true);
    expect(await backend.replayDead(id, diedAtMs)).toBe(false);
    expect(await backend.removeDead(id, diedAtMs)).toBe(false);
    expect(await producer.job(id)).toMatchObject({ state: 'ready' });
  });

  it.each(['completed', 'scheduled', 'cancelled'] as const)(
    'is for dead jobs, not for %s ones',
    async (state) => {
      const producer = world.producer();
      const operations = world.operations({ effects: ledger });
      const later = state === 'completed' ? {} : { delayMs: 60_000 };
      const id = idOf(await producer.enqueue(world.job, payload, later));
      if (state === 'cancelled') await operations.cancel(id);
      if (state === 'completed') await world.consumer(async () => undefined);
      await world.untilState(producer, id, state);
      expect(await operations.replay(id)).toBe('not_dead');
      expect(await operations.purge(id)).toBe('not_dead');
      expect(await producer.job(id)).toMatchObject({ state });
    },
  );

  it('finds nothing where there is no job', async () => {
    const operations = world.operations({ effects: ledger });
    const id = 'AAAAAAAAAAAAAAAAAAAAAA';
    expect(await operations.replay(id)).toBe('not_found');
    expect(await operations.purge(id)).toBe('not_found');
    expect(await operations.resolveEffect(id, 'send', { outcome: 'applied' })).toBe('not_found');
  });
});

describe('a verdict on an effect', () => {
  it('R2 applied: the job goes on without sending again', async () => {
    const { depot, producer, operations, id } = await deadOf(ambiguous());
    const verdict = { outcome: 'applied', externalId: 'm-7' } as const;
    expect(await operations.resolveEffect(id, 'send', verdict)).toBe('replayed');
    await startDepot(depot);
    const view = await world.untilState(producer, id, 'completed');
    expect(view).toMatchObject({ result: { id: 'm-7' }, attempts: { made: 1 } });
    expect(view.effects).toMatchObject([{ name: 'label' }, { state: 'done', externalId: 'm-7' }]);
    expect(depot.calls).toEqual(['label', 'send']);
  });

  it('R2 not applied: the job goes on and sends once', async () => {
    const { depot, producer, operations, id } = await deadOf(ambiguous());
    expect(await operations.resolveEffect(id, 'send', { outcome: 'not_applied' })).toBe('replayed');
    await startDepot(depot);
    await world.untilState(producer, id, 'completed');
    expect(depot.calls).toEqual(['label', 'send', 'send']);
  });

  it('can be given again when the call failed before the job went on', async () => {
    const { producer, operations, id } = await deadOf(ambiguous());
    await ledger.resolve({ jobId: id, name: 'send', outcome: 'applied', externalId: 'm-7' });
    expect(await operations.resolveEffect(id, 'send', { outcome: 'not_applied' })).toBe('nothing_unresolved');
    expect(await producer.job(id)).toMatchObject({ state: 'dead' });
    const same = { outcome: 'applied', externalId: 'm-7' } as const;
    expect(await operations.resolveEffect(id, 'send', same)).toBe('replayed');
    expect(await producer.job(id)).toMatchObject({ state: 'ready' });
  });

  it('of two people counts once, and the job goes on once', async () => {
    const { depot, producer, operations, id } = await deadOf(ambiguous());
    const verdicts = await Promise.all([
      operations.resolveEffect(id, 'send', { outcome: 'applied', externalId: 'm-7' }),
      operations.resolveEffect(id, 'send', { outcome: 'not_applied' }),
    ]);
    expect(verdicts.toSorted()).toEqual(['nothing_unresolved', 'replayed']);
    await startDepot(depot);
    await world.untilState(producer, id, 'completed');
  });

  it('R2 of two that contradict each other the later one counts while the job runs on the word of the first', async () => {
    world.job = defineParcelJob({ retry: { baseMs: 1, capMs: 2 } });
    const { depot, producer, operations, id } = await deadOf(ambiguous());
    const late = lateVerdict(id);
    await late.hasLooked.opened;
    expect(await operations.resolveEffect(id, 'send', { outcome: 'not_applied' })).toBe('replayed');
    const hangsUp = async () => {
      depot.calls.push('again');
      late.mayTell.open();
      await late.answer;
      throw ambiguous();
    };
    await world.consumer(async (_payload, { effect }) => effect('send', { perform: hangsUp }), {
      effects: createEffectRunner({ ledger }),
    });
    const view = await world.untilState(producer, id, 'completed');
    expect(view.result).toEqual({ id: 'm-7' });
    expect(depot.calls).toEqual(['label', 'send', 'again']);
  });

  it('is not asked for where the outcome is known, the job is not dead, or there is no such effect', async () => {
    const { producer, operations, id } = await deadOf(ambiguous());
    const verdict = { outcome: 'applied' } as const;
    expect(await operations.resolveEffect(id, 'label', verdict)).toBe('nothing_unresolved');
    expect(await operations.resolveEffect(id, 'other', verdict)).toBe('unknown_effect');
    expect(await operations.resolveEffect(id, 'send', verdict)).toBe('replayed');
    expect(await operations.resolveEffect(id, 'send', verdict)).toBe('nothing_unresolved');
    expect(await producer.job(id)).toMatchObject({ state: 'ready' });
  });
});

describe('purge', () => {
  it('R12 A05 A06 frees the key, keeps the ledger, and the next run repeats nothing', async () => {
    const { depot, producer, operations, id } = await deadOf(refused());
    const diedAtMs = Date.parse((await producer.job(id))?.finishedAt ?? '');
    expect(await operations.purge(id)).toBe('purged');
    expect(await operations.purge(id)).toBe('not_found');
    expect(await producer.job(id)).toBeUndefined();
    const other = { ...payload, note: 'another payload' };
    expect(await producer.enqueue(world.job, other)).toMatchObject({ outcome: 'accepted', id });
    expect(await world.queue().backend.removeDead(id, diedAtMs)).toBe(false);
    await startDepot(depot);
    await world.untilState(producer, id, 'completed');
    expect(depot.calls).toEqual(['label', 'send', 'send']);
    expect((await operations.account('acme')).counts).toMatchObject({ dead: 0, completed: 1 });
  });
});

/** Operations of a catalogue that the queue of the parcels was taken out of. */
const withoutParcels = () =>
  world.operations({
    effects: ledger,
    catalogue: createCatalogue({
      jobs: [],
      queues: defineQueues({ letters: { slots: 1 } }, { rules: [{ queue: 'letters' }] }),
      limitGroups: world.catalogue.limitGroups,
    }),
  });

describe('a dead letter whose queue is not declared any more', () => {
  it('is neither replayed nor purged, and the answer says why', async () => {
    const { producer, id } = await deadOf(refused());
    const operations = withoutParcels();
    expect(await operations.replay(id)).toBe('undeclared_queue');
    expect(await operations.purge(id)).toBe('undeclared_queue');
    expect(await producer.job(id)).toMatchObject({ state: 'dead' });
  });

  it('takes a verdict, and stays dead until the queue is declared again', async () => {
    const { producer, operations, id } = await deadOf(ambiguous());
    expect(await withoutParcels().resolveEffect(id, 'send', { outcome: 'applied' })).toBe('resolved');
    expect(await producer.job(id)).toMatchObject({ state: 'dead' });
    expect(await operations.replay(id)).toBe('replayed');
  });
});
