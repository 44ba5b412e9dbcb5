import { describe, expect, it } from 'vitest';
import { mapInOrder } from './map-in-order.js';

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function* count(to: number, onItem?: (item: number) => void): AsyncGenerator<number> {
  for (let item = 1; item <= to; item += 1) {
    onItem?.(item);
    yield item;
  }
}

async function* broken(): AsyncGenerator<number> {
  yield 1;
  throw new Error('cut off');
}

async function failAtTwo(item: number): Promise<number> {
  if (item === 2) throw new Error('no');
  return item;
}

describe('mapInOrder', () => {
  it('keeps the order of the items whatever order the work ends in', async () => {
    const [a, b, c] = [deferred<string>(), deferred<string>(), deferred<string>()];
    const work = async (item: number) => (item === 1 ? a : item === 2 ? b : c).promise;
    const results = collect(mapInOrder(count(3), 10, work));
    c.resolve('c');
    a.resolve('a');
    b.resolve('b');
    expect(await results).toEqual(['a', 'b', 'c']);
  });

  it('gives a result as soon as it is there, while the source waits for the reader of results', async () => {
    const answered = deferred<void>();
    async function* dialogue(): AsyncGenerator<number> {
      yield 1;
      await answered.promise;
      yield 2;
    }
    const results = mapInOrder(dialogue(), 10, async (item) => item);
    expect(await results.next()).toEqual({ done: false, value: 1 });
    answered.resolve();
    expect(await collect(results)).toEqual([2]);
  });

  it('never has more than the limit in work', async () => {
    let running = 0;
    let most = 0;
    const work = async (item: number) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return item;
    };
    expect(await collect(mapInOrder(count(100), 7, work))).toHaveLength(100);
    expect(most).toBeLessThanOrEqual(7);
  });

  it('stops reading the source when nobody takes the results', async () => {
    let read = 0;
    const results = mapInOrder(
      count(1000, (item) => (read = item)),
      5,
      async (item) => item,
    );
    await results.next();
    await new Promise(setImmediate);
    expect(read).toBeLessThanOrEqual(7);
    await results.return(undefined);
  });

  it('ends the source when it is left early', async () => {
    let ended = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield* count(1000);
      } finally {
        ended = true;
      }
    }
    for await (const item of mapInOrder(source(), 5, async (item) => item)) if (item === 3) break;
    await new Promise(setImmediate);
    expect(ended).toBe(true);
  });

  it('hands on a failure of the source after the results before it, and a failure of the work in its turn', async () => {
    const results = mapInOrder(broken(), 5, async (item) => item);
    expect(await results.next()).toEqual({ done: false, value: 1 });
    await expect(results.next()).rejects.toThrow('cut off');

    const failing = mapInOrder(count(5), 5, failAtTwo);
    expect(await failing.next()).toEqual({ done: false, value: 1 });
    await expect(failing.next()).rejects.toThrow('no');
  });
});
