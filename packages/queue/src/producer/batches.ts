/** How long a batch waits for a slow source before it is sent as it is. */
const LINGER_MS = 5;

/**
 * Groups items in order. A batch is handed on when it is full or when the source gives nothing more for a moment, so
 * that a trickling source gets its answers without delay.
 */
export async function* inBatches<T>(
  source: Iterable<T> | AsyncIterable<T>,
  maxCount: number,
): AsyncGenerator<T[], void, undefined> {
  const isAsync = Symbol.asyncIterator in source;
  const iterator = isAsync ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let next: Promise<IteratorResult<T>> | IteratorResult<T> | undefined;
  let batch: T[] = [];
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  const read = async () => {
    next ??= iterator.next();
    return batch.length > 0 && next instanceof Promise ? orNothing(next) : next;
  };
  try {
    while (!ended) {
      const step = await read().catch((error: unknown) => {
        // What came before the failure is handed on first.
        failure = { error };
        return { done: true } as const;
      });
      if (step !== undefined) {
        next = undefined;
        ended = step.done === true;
        if (step.done !== true) batch.push(step.value);
      }
      if (batch.length >= maxCount || ((step === undefined || ended) && batch.length > 0)) {
        yield batch;
        batch = [];
      }
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    if (!ended) {
      // A source in the middle of a read answers when it can; the reader has left and does not wait for it.
      const left = Promise.resolve(next).then(() => iterator.return?.());
      left.catch(() => undefined);
      if (next === undefined) await left;
    }
  }
}

async function orNothing<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LINGER_MS, undefined);
  });
  try {
    return await Promise.race([promise, pause]);
  } finally {
    clearTimeout(timer);
  }
}
