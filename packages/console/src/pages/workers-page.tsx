import { formatCount } from '../format/numbers.js';
import { formatDuration } from '../format/times.js';
import type { Tone } from '../format/words.js';
import { Link } from '../frame/link.js';
import { apiPath, hrefOf } from '../frame/paths.js';
import { useApi } from '../live/use-api.js';
import { Badge } from '../parts/badge.js';
import { DataView } from '../parts/data-view.js';
import { TableBox } from '../parts/table.js';
import { Ago } from '../parts/time.js';

interface Worker {
  id: string;
  host: string;
  pid: number;
  status: 'busy' | 'idle' | 'draining' | 'hung' | 'lost';
  queues: string[];
  slots: number;
  busy: number;
  lastBeat: string;
  eventLoopLagMs: number | null;
  jobs: { id: string; name: string }[];
}

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

export function WorkersPage() {
  const query = useApi<{ items: Worker[] }>(apiPath(['workers']));
  return (
    <>
      <h1>Workers</h1>
      <DataView query={query} what="the workers">
        {({ items }) =>
          items.length === 0 ? (
            <div className="empty">
              <p>No worker has reported itself.</p>
              <ul>
                <li>Is a worker process running, and is its readiness check green?</li>
                <li>Do its REDIS_URL and FAIRLANE_PREFIX match those of the API?</li>
                <li>What does its log say at the end?</li>
              </ul>
            </div>
          ) : (
            <WorkerTable
              workers={items.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))}
            />
          )
        }
      </DataView>
    </>
  );
}

function WorkerTable({ workers }: { workers: Worker[] }) {
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
        {workers.map((worker) => (
          <tr key={worker.id}>
            <td>
              <Badge tone={tones[worker.status] ?? 'plain'} word={worker.status} />
            </td>
            <th scope="row">
              {worker.host}:{worker.pid} <span className="id">{worker.id}</span>
            </th>
            <td>{worker.queues.join(', ')}</td>
            <td className="number">
              {formatCount(worker.busy)} / {formatCount(worker.slots)}
            </td>
            <td>
              <Ago at={worker.lastBeat} />
            </td>
            <td className="number">{formatDuration(worker.eventLoopLagMs)}</td>
            <td>
              {worker.jobs.slice(0, shownJobs).map(({ id, name }) => (
                <span key={id}>
                  <Link href={hrefOf('jobs', id)}>{name}</Link>{' '}
                </span>
              ))}
              {worker.jobs.length > shownJobs && `and ${formatCount(worker.jobs.length - shownJobs)} more`}
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
