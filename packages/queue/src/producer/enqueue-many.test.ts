import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { EnqueueResult } from '../index.js';
import { until } from '../../test/support/until.js';
import { World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);

function parcel(at: number) {
  return { accountId: 'acme', parcel: String(at) };
}

describe('enqueueMany', () => {
  it('answers every payload in order, also refused and repeated ones', async () => {
    const payloads = Array.from({ length: 1_000 }, (_value, at) => {
      if (at % 10 === 3) return { accountId: 'acme' } as ReturnType<typeof parcel>;
      return parcel(at % 10 === 7 ? at - 1 : at);
    });
    const outcomes: string[] = [];
    for await (const { outcome } of world.producer().enqueueMany(world.job, payloads)) outcomes.push(outcome);
    const expected = payloads.map((_value, at) =>
      at % 10 === 3 ? 'refused' : at % 10 === 7 ? 'duplicate' : 'accepted',
    );
    expect(outcomes).toEqual(expected);
  });

  it('R14 reads no more of the source than is on its way', async () => {
    let read = 0;
    const source = (function* () {
      for (;;) yield parcel(read++);
    })();
    const results = world.producer().enqueueMany(world.job, source)[Symbol.asyncIterator]();
    for (let at = 0; at < 10; at += 1) await results.next();
    expect(read).toBeLessThanOrEqual(10 + 5 * 200);
    await results.return?.(undefined);
    const stoppedAt = read;
    await world.producer().job('A'.repeat(22));
    expect(read).toBe(stoppedAt);
  });

  it('answers what a slow source gave before it gives more', async () => {
    let give: ((at: number) => void) | undefined;
    const source = (async function* () {
      for (;;) yield parcel(await new Promise<number>((resolve) => (give = resolve)));
    })();
    const results = world.producer().enqueueMany(world.job, source)[Symbol.asyncIterator]();
    for (let at = 0; at < 5; at += 1) {
      const next = results.next();
      await until('the source is asked', () => give !== undefined);
      give?.(at);
      give = undefined;
      expect((await next).value).toMatchObject({ outcome: 'accepted' });
    }
    void results.return?.(undefined);
  });

  it('passes an error of the source on, after the answers to what came before', async () => {
    const source = (async function* () {
      yield parcel(1);
      yield parcel(2);
      throw new Error('the upload broke');
    })();
    const seen: EnqueueResult[] = [];
    const reading = (async () => {
      for await (const result of world.producer().enqueueMany(world.job, source)) seen.push(result);
    })();
    await expect(reading).rejects.toThrow('the upload broke');
    expect(seen.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  });
});
