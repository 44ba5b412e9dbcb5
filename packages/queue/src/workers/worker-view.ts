import type { Beat, RunningJob } from './beat.js';

export const WORKER_STATUSES = ['busy', 'idle', 'draining', 'hung', 'lost'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** A worker as the registry knows it. */
export interface WorkerView extends Pick<Beat, 'host' | 'pid' | 'handles' | 'eventLoopLagMs'> {
  readonly id: string;
  readonly status: WorkerStatus;
  /** What it serves of each queue. */
  readonly served: Beat['queues'];
  /** Over all its queues. */
  readonly slots: number;
  readonly busy: number;
  /** Server time of its last beat, ms since the epoch. */
  readonly lastBeatMs: number;
  readonly jobs: readonly RunningJob[];
}

/** A worker that has missed so many beats is not well. */
const MISSED_BEATS = 3;

/**
 * The view of one worker from its last beat. `hung`: its process is there, since its connection is, but does not beat;
 * or it beats and a consume loop takes nothing. `lost`: neither beat nor connection.
 */
export function toWorkerView(
  id: string,
  beat: Beat,
  seen: { readonly lastBeatMs: number; readonly nowMs: number; readonly isConnected: boolean },
): WorkerView {
  const { host, pid, handles, eventLoopLagMs, queues, jobs } = beat;
  return {
    id,
    host,
    pid,
    status: statusOf(beat, seen),
    served: queues,
    slots: queues.reduce((sum, { slots }) => sum + slots, 0),
    busy: queues.reduce((sum, { busy }) => sum + busy, 0),
    lastBeatMs: seen.lastBeatMs,
    eventLoopLagMs,
    jobs,
    handles,
  };
}

function statusOf(
  { everyMs, isDraining, isStuck, queues }: Beat,
  { lastBeatMs, nowMs, isConnected }: { lastBeatMs: number; nowMs: number; isConnected: boolean },
): WorkerStatus {
  if (nowMs - lastBeatMs > MISSED_BEATS * everyMs) return isConnected ? 'hung' : 'lost';
  if (isStuck) return 'hung';
  if (isDraining) return 'draining';
  return queues.some(({ busy }) => busy > 0) ? 'busy' : 'idle';
}

/** Whether it takes jobs of the queue. */
export function serves({ status, served }: WorkerView, queue: string): boolean {
  return (status === 'busy' || status === 'idle') && served.some((each) => each.queue === queue);
}

/** Of each queue, what the workers that take its jobs have together. */
export function capacityOf(
  workers: readonly WorkerView[],
  queue: string,
): { readonly workers: number; readonly slots: number; readonly maxSlots: number } {
  const serving = workers.filter((worker) => serves(worker, queue));
  const all = serving.flatMap(({ served }) => served.filter((each) => each.queue === queue));
  return {
    workers: serving.length,
    slots: all.reduce((sum, { slots }) => sum + slots, 0),
    maxSlots: all.reduce((sum, { maxSlots }) => sum + maxSlots, 0),
  };
}
