import type { ListedJob, ListedState, SourcePage } from './job-list.js';

const FIELDS_A_JOB = 12;

/** Reply of the command `job-page`; a job is undefined where it is gone. */
export function readJobs(source: { queue: string; state: string }, reply: string[]): SourcePage {
  const [more, through = ''] = reply;
  const rows = [];
  for (let at = 2; at < reply.length; at += FIELDS_A_JOB) {
    const [id = '', lane = '', index = '', tail = '', ...fields] = reply.slice(at, at + FIELDS_A_JOB);
    rows.push({ id, place: { lane, at: index, tail }, job: readJob(source.queue, id, fields) });
  }
  return { rows, isLast: more !== '1', ...(through === '' ? {} : { through }) };
}

function readJob(queue: string, id: string, fields: string[]): ListedJob | undefined {
  const [state, name, lane = '', tag, timestamp, attempts, processed, finished] = fields;
  if (name === undefined || name === '') {
    return undefined;
  }
  const colon = lane.indexOf(':');
  return {
    id,
    queue,
    name,
    account: lane === '' ? '' : lane.slice(colon + 1),
    group: lane === '' ? 'default' : lane.slice(0, colon),
    ...(tag ? { tag } : {}),
    state: state as ListedState,
    createdAt: Number(timestamp),
    attempts: Number(attempts || 0),
    ...(processed ? { processedAt: Number(processed) } : {}),
    ...(finished ? { finishedAt: Number(finished) } : {}),
  };
}
