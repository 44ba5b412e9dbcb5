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
