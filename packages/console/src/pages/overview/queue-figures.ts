import type { Percentiles, Queue } from '../../api/types.js';

/** What a queue's row shows beyond its counts. null where nothing was measured. */
export interface QueueFigures {
  inPerMinute: number | null;
  outPerMinute: number | null;
  wait: Percentiles;
  run: Percentiles;
}

const unknown: Percentiles = { p50: null, p99: null };

/** Rates of the last minute; waits and runs of the last hour, which a single job does not swing. */
export function figuresOf({ lastMinute, lastHour }: Queue): QueueFigures {
  return {
    inPerMinute: lastMinute?.enqueued ?? null,
    outPerMinute: lastMinute === undefined ? null : endedIn(lastMinute),
    wait: lastHour?.timeInQueueMs ?? unknown,
    run: lastHour?.processingMs ?? unknown,
  };
}

/** Jobs that reached any end. */
export function endedIn(figures: { completed: number; dead: number; cancelled: number }): number {
  return figures.completed + figures.dead + figures.cancelled;
}
