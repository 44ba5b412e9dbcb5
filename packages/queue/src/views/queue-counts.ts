import type { FairlaneBackend } from '../backend/fairlane-backend.js';

/** How many jobs of a queue are where. */
export interface QueueCounts {
  readonly ready: number;
  /** Scheduled, waiting for a retry, or put off because the outside throttles. */
  readonly delayed: number;
  readonly active: number;
  readonly completed: number;
  readonly dead: number;
}

export async function readQueueCounts(backend: FairlaneBackend): Promise<QueueCounts> {
  const [wait = 0, prioritized = 0, delayed = 0, active = 0, completed = 0, dead = 0] =
    await backend.getCounts(['wait', 'prioritized', 'delayed', 'active', 'completed', 'failed']);
  return { ready: wait + prioritized, delayed, active, completed, dead };
}
