import type { FairlaneWorker } from './fairlane-worker.js';

export interface ConsumerHealth {
  readonly status: 'starting' | 'running' | 'draining' | 'closed';
  /** A consume loop with free slots has not asked for work for too long: only a restart helps. */
  readonly stuck: boolean;
  readonly queues: readonly {
    readonly name: string;
    readonly slots: number;
    readonly busy: number;
    /** Since the loop last asked for work or Redis came back; 0 while Redis is away, grows while every slot is busy. */
    readonly lastPollAgeMs: number;
  }[];
}

/** A loop asks at least every 11 seconds: BullMQ blocks for at most 10, with a watchdog a second later. */
const STUCK_AFTER_MS = 60_000;

export function readHealth(
  status: ConsumerHealth['status'],
  workers: readonly FairlaneWorker[],
): ConsumerHealth {
  const queues = workers.map((worker) => ({
    name: worker.name,
    slots: worker.concurrency,
    busy: worker.busyCount,
    lastPollAgeMs: Math.round(worker.fairlaneBackend.unaskedMs),
  }));
  return { status, stuck: status === 'running' && queues.some(isStuck), queues };
}

export function isStuck({ busy, slots, lastPollAgeMs }: ConsumerHealth['queues'][number]): boolean {
  return busy < slots && lastPollAgeMs > STUCK_AFTER_MS;
}
