import type { Redis } from 'ioredis';
import type { Backends } from '../backend/open-backends.js';
import type { QueueLogger } from '../logging.js';
import { StatisticsRecorder } from './recorder.js';

/** Told of a job that ended cancelled before a worker ran it. */
export type OnCancelled = (job: { readonly queue: string; readonly name: string }) => void;

export interface CancelCounter {
  readonly count: OnCancelled;
  close(): Promise<void>;
}

/**
 * Counts cancelled jobs that no worker will: those that waited. A running one is counted by its worker, once it has
 * settled as cancelled.
 */
export function createCancelCounter(
  client: Redis,
  { first }: Backends,
  { prefix, logger, onCancelled }: { prefix: string; logger: QueueLogger; onCancelled?: OnCancelled },
): CancelCounter {
  const recorder = new StatisticsRecorder({
    client: async () => first.client,
    prefix,
    logger,
    isConnected: () => client.status === 'ready',
  });
  return {
    count(job) {
      recorder.count(job.queue, 'cancelled');
      onCancelled?.(job);
    },
    close: () => recorder.close(),
  };
}
