import type { AccountView as LaneAccountView, LaneView } from '@fairlane/lanes';
import type { JobState } from '@fairlane/sdk';
import type { QueueCounts } from './queue-counts.js';

/** An account over all queues. Times are milliseconds since the epoch. */
export interface AccountView extends Omit<LaneAccountView, 'counts'> {
  readonly counts: QueueCounts;
  readonly lanes: LaneView[];
}

/** The lanes' view in the words of the product. */
export function toAccountView({ counts, ...view }: LaneAccountView): AccountView {
  const { failed, delayed: _delayed, ...others } = counts;
  return { ...view, counts: { ...others, dead: failed } satisfies Record<JobState, number> };
}
