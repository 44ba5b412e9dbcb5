import type { FairlaneWorker } from './fairlane-worker.js';

export interface ConsumerHealth {
  readonly status: 'starting' | 'running' | 'draining' | 'closed';
  /** A consume loop with free slots has not asked for work for too long: only a restart helps. */
  readonly stuck: boolean;
  readonly queues: readonly {
    readonly name: string;
    readonly slots: number;
    readonly busy: number;
    /**
     * Since the loop last asked for work, a slot became free after all were busy, or Redis came back; 0 while Redis is
     * away, but grows while it can be connected to and does not answer, and while every slot is busy.
     */
    readonly lastPollAgeMs: number;
  }[];
}

/** Two leases: by then other workers have taken over what this one had. */
const STUCK_AFTER_LEASES = 2;
/** A loop with a free slot asks at least every two seconds: it blocks for 0.8, with a watchdog a second later. */
const MIN_STUCK_AFTER_MS = 10_000;

/** @param leaseMs of the jobs that the workers take. */
export function readHealth(
  status: ConsumerHealth['status'],
  workers: readonly FairlaneWorker[],
  leaseMs: number,
): ConsumerHealth {
  const queues = workers.map((worker) => ({
    name: worker.name,
    slots: worker.concurrency,
    busy: worker.busyCount,
    lastPollAgeMs: Math.round(worker.unaskedMs),
  }));
  return { status, stuck: status === 'running' && queues.some((queue) => isStuck(queue, leaseMs)), queues };
}

export function isStuck(
  { busy, slots, lastPollAgeMs }: ConsumerHealth['queues'][number],
  leaseMs: number,
): boolean {
  return busy < slots && lastPollAgeMs > Math.max(MIN_STUCK_AFTER_MS, STUCK_AFTER_LEASES * leaseMs);
}
