import { hostname } from 'node:os';

let namedCount = 0;

/**
 * Who a worker is, in the registry and on the jobs it runs: `HOST-PID`, the same for every queue it serves. Others of
 * the same process get a number.
 */
export function nextWorkerName(): string {
  namedCount += 1;
  const number = namedCount === 1 ? '' : `-${namedCount}`;
  return `${hostname()}-${process.pid}${number}`.replaceAll(/[^\w.-]/g, '-');
}
