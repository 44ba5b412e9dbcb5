import type { Figures, Job, Queue } from '../api/types.js';

/** Of a time in which nothing happened. */
export const noFigures: Figures = {
  enqueued: 0,
  started: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
  enqueuedPerSecond: 0,
  finishedPerSecond: 0,
  errorRate: null,
  timeInQueueMs: { p50: null, p99: null },
  processingMs: { p50: null, p99: null },
};

/** A queue as the API tells of it, nothing in it unless said otherwise. */
export function aQueue({ ready = 0, ...fields }: Partial<Queue> & { ready?: number }): Queue {
  const none = { scheduled: 0, held: 0, active: 0, retrying: 0, completed: 0, dead: 0, cancelled: 0 };
  return {
    queue: 'outreach',
    counts: { ...none, ready },
    paused: false,
    oldestEligibleAgeMs: null,
    slots: { min: 1, max: 10 },
    lastMinute: noFigures,
    lastHour: noFigures,
    ...fields,
  };
}

/** A job as the API tells of it, ready for its first attempt unless said otherwise. */
export function aJob(fields: Partial<Job> = {}): Job {
  return {
    id: 'job-1',
    key: 'outreach.send/acme/lead-1',
    name: 'outreach.send',
    version: 1,
    queue: 'outreach',
    account: 'acme',
    limitGroup: 'email',
    state: 'ready',
    priority: 0,
    attempts: { made: 0, max: 3 },
    stalls: 0,
    createdAt: '2026-11-30T08:00:00.000Z',
    effects: [],
    ...fields,
  };
}
