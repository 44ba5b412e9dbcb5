import type { BenchJob } from '../workload.js';

/** What differs between the systems measured; everything else is shared code. */
export interface Adapter {
  openQueue(place: Place): Promise<BenchQueue>;
  openWorker(place: Place, options: WorkerOptions): Promise<BenchWorker>;
}

export interface Place {
  readonly port: number;
  readonly queue: string;
  /** Where a ledger in Postgres lives. */
  readonly databaseUrl?: string | undefined;
}

export interface BenchQueue {
  /** Adds in bulk, by the fastest way the system has; for preloading. */
  load(jobs: Iterable<BenchJob>): Promise<void>;
  /** Adds one job and resolves once it is accepted. */
  add(job: BenchJob): Promise<void>;
  /** Jobs that wait or run, whatever for. */
  unfinished(): Promise<number>;
  /** Limits one account; absent where the system has no such thing. */
  limit?(account: string, limits: AccountLimits): Promise<void>;
  close(): Promise<void>;
}

export interface AccountLimits {
  readonly limit: number;
  readonly perMs: number;
  readonly burst?: number;
  readonly maxInFlight?: number;
  /** A window around the present moment, wide enough to stay open for the whole run. */
  readonly openWindow?: boolean;
}

export interface WorkerOptions {
  readonly concurrency: number;
  handle(job: BenchJob): Promise<void>;
  /** Called when the system has recorded the job's end, not when the handler returned. */
  completed(job: BenchJob): void;
}

export interface BenchWorker {
  /** Starts taking jobs; connections are ready before. */
  run(): void;
  close(): Promise<void>;
}

/** Adds are preloaded in batches of this many jobs by every adapter that can batch. */
export const LOAD_BATCH_JOBS = 500;

/** Small enough for the server to answer other clients between two batches. */
export async function inBatches<T>(
  items: Iterable<T>,
  size: number,
  send: (batch: T[]) => Promise<unknown>,
): Promise<void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      await send(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await send(batch);
}

/**
 * A run in which something failed has no figure. Thrown from an event listener the error would end in some
 * catch block of the system under test.
 */
export function abortRun(error: Error): never {
  console.error(error);
  process.exit(1);
}
