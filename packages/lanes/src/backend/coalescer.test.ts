import { pack } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { Coalescer, MAX_BATCH, mostOfSlots } from './coalescer.js';

/** A script of the keys `shared`, `own` and `stem`, and arguments of its own before `base` and `time`. */
const args = (at: number): string[] => [
  'shared',
  `own ${at}`,
  'stem',
  'argument',
  `of ${at}`,
  'base',
  'time',
];

function open(answer: (name: string, runs: number) => unknown) {
  const calls: [name: string, args: unknown[]][] = [];
  const run = async (name: string, all: unknown[]): Promise<unknown> => {
    calls.push([name, all]);
    const reply = answer(name, Number(all[Number(all[0]) + 1]));
    return name === 'one' ? reply : pack(await reply);
  };
  return { calls, coalescer: new Coalescer(3, run, 'one', 'several') };
}

describe('Coalescer', () => {
  it('sends a run that is alone in its turn as it is', async () => {
    const { calls, coalescer } = open(() => 'done');
    expect(await coalescer.send(args(1))).toBe('done');
    expect(await coalescer.send(args(2))).toBe('done');
    expect(calls).toEqual([
      ['one', args(1)],
      ['one', args(2)],
    ]);
  });

  it('sends runs of one turn as one call, what they share once, and gives each its own answer', async () => {
    const { calls, coalescer } = open(() => ['first', { err: 'refused' }, 'third']);
    const answers = await Promise.allSettled([1, 2, 3].map(async (at) => coalescer.send(args(at))));
    expect(answers).toMatchObject([
      { value: 'first' },
      { reason: { message: 'refused' } },
      { value: 'third' },
    ]);
    const keys = ['shared', 'own 1', 'own 2', 'own 3', 'stem'];
    const places = [1, 2, 1, 2];
    const each = [2, 'argument', 'of 1', 'of 2', 'of 3'];
    expect(calls).toEqual([['severalBuffer', [keys.length, ...keys, 3, ...places, ...each, 'base', 'time']]]);
  });

  it('sends runs with another number of arguments apart', async () => {
    const { calls, coalescer } = open((name, runs) => (name === 'one' ? 0 : Array(runs).fill(0)));
    const longer = ['shared', 'own', 'stem', 'argument', 'of', 'more', 'base', 'time'];
    await Promise.all([args(1), args(2), longer, args(3)].map(async (all) => coalescer.send(all)));
    expect(calls.map(([name]) => name)).toEqual(['severalBuffer', 'one', 'one']);
  });

  it('R14: puts no more than a bound of runs into one call', async () => {
    const { calls, coalescer } = open((name, runs) =>
      name === 'one' ? 0 : Array.from({ length: runs }, (_none, at) => at),
    );
    await Promise.all(Array.from({ length: MAX_BATCH + 1 }, async (_none, at) => coalescer.send(args(at))));
    expect(calls.map(([name]) => name)).toEqual(['severalBuffer', 'one']);
  });

  it('hands out the answers of two calls that come together in two turns', async () => {
    const replies: ((reply: Buffer) => void)[] = [];
    const run = async (): Promise<unknown> =>
      new Promise((resolve) => {
        replies.push(resolve);
      });
    const coalescer = new Coalescer(3, run, 'one', 'several', 2);
    const order: string[] = [];
    const runs = [1, 2, 3, 4].map(async (at) => {
      await coalescer.send(args(at));
      order.push(`run ${at}`);
    });
    for (const reply of replies) reply(pack([0, 0]));
    // Behind all that follows from the first answer, and before what is left for the next turn.
    await Promise.race(runs);
    process.nextTick(() => order.push('end of the turn'));
    await Promise.all(runs);
    expect(order).toEqual(['run 1', 'run 2', 'end of the turn', 'run 3', 'run 4']);
  });

  it.each([
    [1, 1],
    [10, 5],
    [51, 26],
    [1_000, MAX_BATCH],
  ])(
    'of a worker with %d slots puts at most %d runs into a call, so that both halves are at work',
    (slots, most) => {
      expect(mostOfSlots(slots)).toBe(most);
    },
  );

  it.each([
    ['nothing that can be unpacked', Buffer.from([0x92, 0xa5])],
    ['a reply too few', pack([0])],
  ])('fails every run of a call that is answered by %s', async (_what, reply) => {
    const coalescer = new Coalescer(3, async () => reply, 'one', 'several');
    const answers = await Promise.allSettled([1, 2].map(async (at) => coalescer.send(args(at))));
    expect(answers).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('fails every run of a call that failed', async () => {
    const { coalescer } = open(() => Promise.reject(new Error('gone')));
    const answers = await Promise.allSettled([1, 2].map(async (at) => coalescer.send(args(at))));
    expect(answers).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }]);
  });
});
