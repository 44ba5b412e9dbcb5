import type { Lanes, ListedState, Page } from '@fairlane/lanes';
import type { JobState } from '@fairlane/sdk';
import type { JobView } from '../views/job-view.js';
import type { JobViewReader } from '../views/read-job-view.js';

/** All that is given must hold. */
export interface JobFilter {
  readonly account?: string;
  readonly state?: JobState;
  readonly name?: string;
  readonly tag?: string;
  readonly queue?: string;
  /** Created at or after this time, ms. */
  readonly since?: number;
  /** 1 to 500, default 50. */
  readonly limit?: number;
  /** From the previous page of the same filter. */
  readonly cursor?: string;
}

/** A page of jobs, newest first. One that moves to another state between two reads is left out of a list by state. */
export async function listJobs(
  lanes: Pick<Lanes, 'jobs'>,
  views: JobViewReader,
  { state, ...filter }: JobFilter,
): Promise<Page<JobView>> {
  const page = await lanes.jobs({ ...filter, ...(state === undefined ? {} : { state: toListed(state) }) });
  const jobs = await views.readEach(page.items);
  const items = state === undefined ? jobs : jobs.filter((view) => view.state === state);
  return { items, cursor: page.cursor };
}

/** The lanes use BullMQ's word for dead jobs. */
function toListed(state: JobState): ListedState {
  return state === 'dead' ? 'failed' : state;
}
