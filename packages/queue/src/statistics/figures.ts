import { quantile, type Durations } from './durations.js';
import type { Tally } from './minutes.js';

/** Milliseconds; null where nothing was measured. */
export interface Quantiles {
  readonly p50: number | null;
  readonly p99: number | null;
}

/** What happened in a queue over some time. */
export interface Figures {
  readonly enqueued: number;
  /** Attempts started. */
  readonly started: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly enqueuedPerSecond: number;
  /** Jobs that reached any end, a second. */
  readonly finishedPerSecond: number;
  /** Share of the attempts that failed (0-1), throttled ones left out; null when none ended. */
  readonly errorRate: number | null;
  readonly timeInQueueMs: Quantiles;
  readonly processingMs: Quantiles;
}

export function figuresOf({ counts, waited, processed }: Tally, seconds: number): Figures {
  const { enqueued, started, completed, dead, cancelled, succeededAttempts, failedAttempts } = counts;
  const attempts = succeededAttempts + failedAttempts;
  return {
    enqueued: Math.round(enqueued),
    started: Math.round(started),
    completed: Math.round(completed),
    dead: Math.round(dead),
    cancelled: Math.round(cancelled),
    enqueuedPerSecond: rounded(enqueued / seconds),
    finishedPerSecond: rounded((completed + dead + cancelled) / seconds),
    errorRate: attempts > 0 ? rounded(failedAttempts / attempts) : null,
    timeInQueueMs: quantilesOf(waited),
    processingMs: quantilesOf(processed),
  };
}

function quantilesOf(durations: Durations): Quantiles {
  return { p50: quantile(durations, 0.5), p99: quantile(durations, 0.99) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
