import type { ListedJob, ListedState } from './job-list.js';

const FIELDS_A_JOB = 9;

/** Reply of the command `job-page`; undefined where a job is gone. */
export function readJobs(
  source: { queue: string; state: string },
  reply: string[],
): (ListedJob | undefined)[] {
  const jobs: (ListedJob | undefined)[] = [];
  for (let at = 1; at < reply.length; at += FIELDS_A_JOB) {
    const [id, state, name, lane, tag, timestamp, attempts, processed, finished] = reply.slice(
      at,
      at + FIELDS_A_JOB,
    ) as [string, string, string, string, string, string, string, string, string];
    if (name === '') {
      jobs.push(undefined);
      continue;
    }
    const colon = lane.indexOf(':');
    jobs.push({
      id,
      queue: source.queue,
      name,
      account: lane === '' ? '' : lane.slice(colon + 1),
      group: lane === '' ? 'default' : lane.slice(0, colon),
      ...(tag === '' ? {} : { tag }),
      state: state as ListedState,
      createdAt: Number(timestamp),
      attempts: Number(attempts || 0),
      ...(processed === '' ? {} : { processedAt: Number(processed) }),
      ...(finished === '' ? {} : { finishedAt: Number(finished) }),
    });
  }
  return jobs;
}
