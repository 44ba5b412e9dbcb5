import { isOperator } from '../../api/session.js';
import type { Worker } from '../../api/types.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { formatDuration } from '../../format/times.js';
import type { Tone } from '../../format/words.js';
import { Link } from '../../frame/link.js';
import { hrefOf } from '../../frame/paths.js';
import { Badge } from '../../parts/badge.js';
import { TableBox } from '../../parts/table.js';
import { Ago } from '../../parts/time.js';
import { Reclaim } from './reclaim.js';

const tones: Record<Worker['status'], Tone> = {
  lost: 'act',
  hung: 'act',
  draining: 'wait',
  busy: 'run',
  idle: 'plain',
};
/** What needs a person first. */
const order = Object.keys(tones);
const shownJobs = 5;

export function WorkerTable({ workers }: { workers: readonly Worker[] }) {
  return (
    <TableBox label="Workers">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Host: process</th>
          <th scope="col">Queues</th>
          <th scope="col" className="number">
            Busy / slots
          </th>
          <th scope="col">Last beat</th>
          <th scope="col" className="number">
            Loop lag
          </th>
          <th scope="col">Jobs</th>
        </tr>
      </thead>
      <tbody>
        {workers
          .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
          .map((worker) => (
            <WorkerRow key={worker.id} worker={worker} />
          ))}
      </tbody>
    </TableBox>
  );
}

function WorkerRow({ worker }: { worker: Worker }) {
  const { id, host, pid, status, queues, busy, slots, lastBeat, eventLoopLagMs, jobs } = worker;
  const needsPerson = status === 'lost' || status === 'hung';
  return (
    <tr>
      <td>
        <Badge tone={tones[status] ?? 'plain'} word={status} />
      </td>
      <th scope="row">
        {host}:{pid} <span className="id">{id}</span>
      </th>
      <td>{queues.join(', ')}</td>
      <td className="number">
        {formatCount(busy)} / {formatCount(slots)}
      </td>
      <td>
        <Ago at={lastBeat} />
      </td>
      <td className="number">{formatDuration(eventLoopLagMs)}</td>
      <td>
        {jobs.length === 0 && '-'}
        {jobs.slice(0, shownJobs).map((job) => (
          <span key={job.id}>
            <Link data-row href={hrefOf('jobs', job.id)}>
              {job.name}
            </Link>{' '}
          </span>
        ))}
        {jobs.length > shownJobs && `and ${formatCount(jobs.length - shownJobs)} more `}
        {needsPerson && isOperator && jobs.length > 0 && (
          <Reclaim
            worker={id}
            ids={jobs.map((job) => job.id)}
            label={`Take back ${countOf(jobs.length, 'job')}…`}
          />
        )}
      </td>
    </tr>
  );
}
