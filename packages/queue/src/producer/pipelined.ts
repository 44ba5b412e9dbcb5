/**
 * Maps a stream through an asynchronous step with a few steps at work at once, in order. Nothing is read ahead of
 * what is at work, so a slow reader slows the source down and memory stays bounded. A result does not wait for the
 * source to give more, and an error of the source comes after the results of what it gave before.
 */
export async function* pipelined<T, R>(
  source: AsyncGenerator<T, void, undefined>,
  atOnce: number,
  step: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const working: { readonly result: Promise<R> }[] = [];
  let reading: Promise<IteratorResult<T, void>> | undefined = handled(source.next());
  let failure: { readonly error: unknown } | undefined;
  try {
    while (reading !== undefined || working.length > 0) {
      const [oldest] = working;
      const full = reading === undefined || working.length >= atOnce;
      if (oldest !== undefined && (full || !(await settlesFirst(reading, oldest.result)))) {
        yield await oldest.result;
        working.shift();
        continue;
      }
      const read: IteratorResult<T, void> | undefined = await reading?.catch((error: unknown) => {
        failure = { error };
        return undefined;
      });
      reading = undefined;
      if (read === undefined || read.done === true) continue;
      working.push({ result: handled(step(read.value)) });
      reading = handled(source.next());
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    // The source may be in the middle of a read: it closes when it can, the reader has left.
    void handled(source.return());
  }
}

/** Whether `first` settles before `second`. */
async function settlesFirst(first: Promise<unknown> | undefined, second: Promise<unknown>): Promise<boolean> {
  return Promise.race([Promise.resolve(first).then(yes, yes), second.then(no, no)]);
}

const yes = () => true;
const no = () => false;

/** Awaited in its turn; until then a failure must not count as unhandled. */
function handled<V>(promise: Promise<V>): Promise<V> {
  promise.catch(() => undefined);
  return promise;
}
