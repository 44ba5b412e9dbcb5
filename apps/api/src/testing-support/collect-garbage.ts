import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes in use after a full collection: what something really keeps. */
export function bytesInUse(): number {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A collection leaves buffers and finalizers to later turns of the event loop. */
const ROUNDS = 3;

/** The same once those are gone too: steady to half a megabyte where one collection is off by ten. */
export async function bytesKept(): Promise<number> {
  for (let round = 0; round < ROUNDS; round += 1) {
    gc();
    await setImmediate();
  }
  return bytesInUse();
}
