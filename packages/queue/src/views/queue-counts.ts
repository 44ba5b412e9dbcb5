import type { Lanes } from '@fairlane/lanes';
import type { JobState } from '@fairlane/sdk';

/** How many jobs of a queue are in each state. */
export type QueueCounts = Readonly<Record<JobState, number>>;

export async function readQueueCounts(lanes: Lanes, queue: string): Promise<QueueCounts> {
  const { ready, held, paused, failed: dead, ...counts } = await lanes.queueCounts(queue);
  const { scheduled, active, retrying, completed, cancelled } = counts;
  const shown = paused ? { ready: 0, held: ready + held } : { ready, held };
  return { scheduled, ...shown, active, retrying, completed, dead, cancelled };
}
