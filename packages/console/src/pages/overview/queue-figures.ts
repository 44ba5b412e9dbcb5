import type { Quantiles, Queue } from '../../api/types.js';

/** What a queue's row shows beyond its counts. */
export interface QueueFigures {
  inPerMinute: number;
  outPerMinute: number;
  wait: Quantiles;
  run: Quantiles;
}

/** Rates of the last minute; waits and runs of the last hour, which a single job does not swing. */
export function figuresOf({ lastMinute, lastHour }: Queue): QueueFigures {
  return {
    inPerMinute: lastMinute.enqueued,
    outPerMinute: endedIn(lastMinute),
    wait: lastHour.timeInQueueMs,
    run: lastHour.processingMs,
  };
}

/** Jobs that reached any end. */
export function endedIn(figures: { completed: number; dead: number; cancelled: number }): number {
  return figures.completed + figures.dead + figures.cancelled;
}
