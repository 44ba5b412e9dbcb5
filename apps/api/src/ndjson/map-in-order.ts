/**
 * Starts `work` for up to `limit` items at a time and yields the results in the order of the items, each as
 * soon as those before it are out: a source that pauses does not hold back what is finished.
 * Flow control: when the reader stops, at most `limit` results wait and the source is no longer read.
 */
export async function* mapInOrder<T, R>(
  source: AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const results: Promise<R>[] = [];
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  let failure: { error: unknown } | undefined;
  let wakeReader = noop;
  let wakeWriter = noop;

  async function read(): Promise<void> {
    try {
      // oxlint-disable-next-line no-unmodified-loop-condition -- the side that yields sets it
      while (!ended) {
        const next = await iterator.next();
        if (next.done === true) break;
        const result = work(next.value);
        // Whoever takes it from the list handles its failure; until then it must not count as unhandled.
        result.catch(noop);
        results.push(result);
        wakeWriter();
        // oxlint-disable-next-line no-unmodified-loop-condition -- the writer's side sets it
        while (results.length >= limit && !ended)
          await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    } catch (error) {
      failure = { error };
    }
    ended = true;
    wakeWriter();
  }

  void read();
  try {
    for (;;) {
      const result = results[0];
      if (result !== undefined) {
        const value = await result;
        void results.shift();
        wakeReader();
        yield value;
      } else if (ended) {
        break;
      } else {
        await new Promise<void>((resolve) => (wakeWriter = resolve));
      }
    }
    if (failure) throw failure.error;
  } finally {
    // Left early: end the source too. Not awaited, since a source that waits for bytes ends only when they come.
    if (!ended) {
      ended = true;
      wakeReader();
      iterator.return?.().catch(noop);
    }
  }
}

function noop(): void {}
