import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Rounds in a row that free nothing: buffers and finalizers are left to later turns of the event loop. */
const IDLE_ROUNDS = 3;
const MAX_ROUNDS = 30;
/** What one look differs from the next by, in a process at rest. */
const NOISE_BYTES = 32 * 1024;

/**
 * Bytes in use once no collection frees any more: what is only not yet collected goes away, what is kept does not.
 * A single collection is off by ten megabytes, the more so the busier the machine.
 */
export async function bytesKept(): Promise<number> {
  let least = Infinity;
  let idle = 0;
  for (let round = 0; round < MAX_ROUNDS && idle < IDLE_ROUNDS; round += 1) {
    const bytes = bytesInUse();
    idle = bytes < least - NOISE_BYTES ? 0 : idle + 1;
    least = Math.min(least, bytes);
    await setImmediate();
  }
  return least;
}

let gc: (() => void) | undefined;

function bytesInUse(): number {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
