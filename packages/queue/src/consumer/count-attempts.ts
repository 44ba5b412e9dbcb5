import type { ConsumerHooks } from './hooks.js';
import type { StatisticsRecorder } from '../statistics/recorder.js';

/** The hooks of a consumer, with the shared statistics counted as well. */
export function countingHooks(recorder: StatisticsRecorder, hooks: ConsumerHooks): ConsumerHooks {
  return {
    ...hooks,
    onStarted(event) {
      recorder.count(event.queue, 'started');
      if (event.waitedMs !== undefined) recorder.waited(event.queue, event.waitedMs);
      hooks.onStarted?.(event);
    },
    onFailedAttempt(event) {
      if (event.class !== 'throttled') recorder.count(event.queue, 'failedAttempts');
      hooks.onFailedAttempt?.(event);
    },
    onAttemptEnded(event) {
      const { queue, outcome, end, processingMs } = event;
      if (processingMs !== undefined) recorder.processed(queue, processingMs);
      if (outcome === 'completed') recorder.count(queue, 'succeededAttempts');
      if (end !== undefined) recorder.count(queue, end);
      hooks.onAttemptEnded?.(event);
    },
  };
}
