import { readFileSync } from 'node:fs';

/** What has gone by since a moment, without what the machine withheld. */
export interface Stopwatch {
  /** Time gone by, less the time that the processes were ready to run and had to wait for a processor, ms. */
  ownMs(): number;
}

/**
 * For the time that something may take by a rule: on a machine that does other work besides, a deadline of the
 * wall clock tells how busy that machine is. Time spent computing, asleep or waiting for an answer counts in full.
 *
 * @param pids processes that take part besides this one, such as the server; they have to live until the last look.
 * Where the kernel does not tell (it is Linux that does), nothing is taken off.
 */
export function startStopwatch(...pids: readonly number[]): Stopwatch {
  const all = [process.pid, ...pids];
  const startedAt = performance.now();
  const before = all.map(withheldMs);
  return {
    ownMs() {
      const wallMs = performance.now() - startedAt;
      const withheld = all.map((pid, at) => Math.max(0, withheldMs(pid) - (before[at] ?? 0)));
      return wallMs - withheld.reduce((sum, ms) => sum + ms, 0);
    },
  };
}

/** Since the main thread of a process began: the second of the kernel's figures, in nanoseconds. */
function withheldMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
