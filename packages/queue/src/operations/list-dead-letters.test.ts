import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { DeadLetter, DeadLetterFilter, Operations } from '../index.js';
import { errorsOf, writeDead, type StoredLetter } from '../../test/support/dead-letters.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { MAX_SCANNED } from './dead-rows.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1' };

async function collect(operations: Operations, filter: DeadLetterFilter): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  let cursor: string | null = null;
  do {
    const page = await operations.deadLetters({ ...filter, ...(cursor === null ? {} : { cursor }) });
    letters.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return letters;
}

/** Dead letters as a worker leaves them, many in each millisecond. */
async function bury(count: number, firstAtMs = 1_000_000): Promise<string[]> {
  const ids = Array.from({ length: count }, (_none, at) => `dead-${String(at).padStart(6, '0')}`);
  const letters = ids.map((id, at): StoredLetter => [
    id,
    firstAtMs + Math.floor(at / 300),
    errorsOf(at === 0 ? 'rejected' : 'timeout'),
  ]);
  await writeDead(redis, 'parcels', letters);
  return ids;
}

describe('the list of dead letters', () => {
  it('tells code, reason and attempts, and filters by all that is given', async () => {
    const producer = world.producer();
    const operations = world.operations();
    await world.consumer(async ({ parcel }) => {
      throw parcel === 'p-1'
        ? new PermanentError({ status: 404, code: 'target_gone' })
        : new PermanentError({ reason: 'no such address' });
    });
    const startedAt = Date.now();
    const first = idOf(await producer.enqueue(world.job, { ...payload, note: 'spring' }));
    await world.untilState(producer, first, 'dead');
    await until('the clock has moved', () => Date.now() > startedAt + 1);
    const second = idOf(await producer.enqueue(world.job, { accountId: 'beta', parcel: 'p-2' }));
    const { finishedAt = '' } = await world.untilState(producer, second, 'dead');
    const ids = async (filter: DeadLetterFilter) =>
      (await collect(operations, filter)).map(({ id }) => (id === first ? 'first' : 'second'));
    expect(await collect(operations, { account: 'acme' })).toEqual([
      {
        id: first,
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: 'parcel.send',
        queue: 'parcels',
        account: 'acme',
        limitGroup: 'default',
        tag: 'spring',
        code: 'target_gone',
        reason: expect.any(String),
        status: 404,
        attempts: { made: 1, max: 8 },
        createdAt: expect.any(String),
        finishedAt: expect.any(String),
      },
    ]);
    expect(await ids({})).toEqual(['second', 'first']);
    expect(await ids({ code: 'rejected' })).toEqual(['second']);
    expect(await ids({ tag: 'spring', name: 'parcel.send' })).toEqual(['first']);
    expect(await ids({ tag: 'spring', code: 'rejected' })).toEqual([]);
    expect(await ids({ name: 'parcel.lose' })).toEqual([]);
    expect(await ids({ account: 'nobody' })).toEqual([]);
    expect(await ids({ since: startedAt })).toEqual(['second', 'first']);
    expect(await ids({ since: Date.parse(finishedAt) })).toEqual(['second']);
    await operations.replay(first);
    expect(await ids({ account: 'acme', code: 'target_gone' })).toEqual([]);
  });

  it('R14 looks at a bounded number a page for a rare code, and the cursor goes on from there', async () => {
    const buried = await bury(2 * MAX_SCANNED + 10);
    const operations = world.operations();
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await operations.deadLetters({ code: 'rejected', ...(cursor ? { cursor } : {}) });
      pages.push(page.items.map(({ id }) => id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual([[], [], [buried[0]]]);
  });

  it('shows each once, the latest first, though many died in one millisecond and some go between pages', async () => {
    const buried = await bury(1_000);
    const operations = world.operations();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await operations.deadLetters({ limit: 70, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ id }) => id));
      const { id = '' } = page.items.at(-1) ?? {};
      await redis.client
        .multi()
        .zrem(`${redis.prefix}:parcels:failed`, id)
        .del(`${redis.prefix}:parcels:${id}`)
        .exec();
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(buried.toReversed());
  });

  it('shows those of all queues in one order, also where a filter leaves few of one of them', async () => {
    const nths = Array.from({ length: 1_500 }, (_none, nth) => nth);
    // Every seventh lies in the other queue; of the first queue only every 500th was rejected.
    const all = nths.map((nth) => {
      const code = nth % 7 === 0 || nth % 500 === 1 ? 'rejected' : 'timeout';
      return { nth, code, id: `dead-${String(nth).padStart(6, '0')}`, diedAtMs: 1_000_000 + nth };
    });
    const stored = (letters: typeof all) =>
      letters.map(({ id, diedAtMs, code }): StoredLetter => [id, diedAtMs, errorsOf(code)]);
    await writeDead(redis, 'parcels', stored(all.filter(({ nth }) => nth % 7 !== 0)));
    await writeDead(redis, 'letters', stored(all.filter(({ nth }) => nth % 7 === 0)));
    const operations = world.operations();
    const seen = async (filter: DeadLetterFilter) => (await collect(operations, filter)).map(({ id }) => id);
    const latest = all.toReversed();
    expect(await seen({ limit: 110 })).toEqual(latest.map(({ id }) => id));
    const rejected = latest.filter(({ code }) => code === 'rejected');
    expect(await seen({ code: 'rejected', limit: 11 })).toEqual(rejected.map(({ id }) => id));
    expect(await seen({ code: 'rejected', limit: 500 })).toEqual(rejected.map(({ id }) => id));
    const since = 1_000_700;
    const recent = rejected.filter(({ diedAtMs }) => diedAtMs >= since);
    expect(await seen({ code: 'rejected', limit: 20, since })).toEqual(recent.map(({ id }) => id));
  });

  it('A23 tells the code of each, whatever its record looks like', async () => {
    const halfAnEmoji = '\ud83d';
    await writeDead(redis, 'parcels', [
      ['cut', 1_009, errorsOf('rejected', `a path C:\\up, a quote ", and ${halfAnEmoji}`)],
      ['broken', 1_008, '{bad'],
      ['empty', 1_007, '[]'],
      ['number', 1_006, '[1]'],
      ['coded', 1_005, '[{"code":7}]'],
      ['deep', 1_004, '['.repeat(50_000)],
    ]);
    const letters = await collect(world.operations(), {});
    expect(letters.map(({ id, code }) => `${id} ${code}`)).toEqual([
      'cut rejected',
      'broken unreadable',
      'empty unreadable',
      'number unreadable',
      'coded unreadable',
      'deep unreadable',
    ]);
    const rejected = await collect(world.operations(), { code: 'rejected' });
    expect(rejected).toMatchObject([{ id: 'cut', reason: expect.stringContaining('a path') }]);
  });

  it('leaves out what died after `until`, on every page', async () => {
    const buried = await bury(900);
    const operations = world.operations();
    const seen = async (until: number) =>
      (await collect(operations, { until, limit: 70 })).map(({ id }) => id);
    // 300 died in each millisecond.
    expect(await seen(1_000_001)).toEqual(buried.slice(0, 600).toReversed());
    expect(await seen(1_000_000)).toEqual(buried.slice(0, 300).toReversed());
    expect(await seen(999_999)).toEqual([]);
    expect(await seen(2_000_000)).toEqual(buried.toReversed());
  });
});
