/**
 * Streams of one browser. It keeps six connections to a host over HTTP/1.1, all its tabs together: were all of them
 * streams, no tab would get another answer.
 */
const PLACES = 3;

/**
 * One of the browser's places for a stream, until the returned function is called or the tab is gone. Undefined when
 * all are taken, and where tabs cannot agree on places: over plain HTTP browsers offer no locks. Without a stream a tab
 * polls, which shows things as soon.
 */
export async function takeStreamPlace(): Promise<(() => void) | undefined> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return undefined;
  for (let place = 1; place <= PLACES; place += 1) {
    const leave = await take(locks, `fairlane stream ${place}`);
    if (leave !== undefined) return leave;
  }
  return undefined;
}

function take(locks: LockManager, name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    void locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null) resolve(undefined);
      else await new Promise<void>((leave) => resolve(leave));
    });
  });
}
