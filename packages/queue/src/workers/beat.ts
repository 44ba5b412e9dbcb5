/** What a worker serves of one queue. */
export interface ServedQueue {
  readonly queue: string;
  /** Jobs it runs at once just now, and at most. */
  readonly slots: number;
  readonly maxSlots: number;
  readonly busy: number;
}

export interface RunningJob {
  readonly id: string;
  readonly name: string;
  readonly queue: string;
}

/** What a worker says of itself with every beat. */
export interface Beat {
  readonly host: string;
  readonly pid: number;
  /** Its connection to Redis: one that is silent but still connected hangs, else it is lost. */
  readonly connection: string;
  readonly everyMs: number;
  readonly isDraining: boolean;
  /** A consume loop with free slots has not asked for work for too long. */
  readonly isStuck: boolean;
  /** Longest time since the last beat for which the event loop was blocked. */
  readonly eventLoopLagMs: number;
  readonly queues: readonly ServedQueue[];
  /** At most 50. */
  readonly jobs: readonly RunningJob[];
  /** Newest version of each job that it has a handler for. At most 500. */
  readonly handles: Readonly<Record<string, number>>;
}

export const MOST_JOBS_TOLD = 50;
export const MOST_HANDLES_TOLD = 500;

/** Workers that were silent for this long are forgotten. */
export const FORGET_AFTER_MS = 3_600_000;
/** So many workers are kept at most. */
export const MOST_WORKERS = 1_000;

/** Keys of the registry; no queue has an empty name, so they collide with nothing. */
export function registryKeys(prefix: string): readonly [beats: string, said: string, served: string] {
  return [`${prefix}::wk`, `${prefix}::wk:said`, `${prefix}::wk:served`];
}
