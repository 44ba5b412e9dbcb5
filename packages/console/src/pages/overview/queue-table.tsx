import type { JobState, Quantiles, Queue } from '../../api/types.js';
import { formatCount, formatRate } from '../../format/numbers.js';
import { formatDuration } from '../../format/times.js';
import { Link } from '../../frame/link.js';
import { hrefOf } from '../../frame/paths.js';
import { Badge } from '../../parts/badge.js';
import { TableBox } from '../../parts/table.js';
import { Age } from '../../parts/time.js';
import { figuresOf } from './queue-figures.js';
import { healthOf } from './verdict.js';

const columns = [
  'Oldest eligible',
  'Ready',
  'Held',
  'Running',
  'Dead',
  'In a minute',
  'Out a minute',
  'Wait p50 / p99',
  'Run p50 / p99',
  // What the catalogue says of one: two workers have twice as many.
  'Slots a worker',
];

export function QueueTable({ queues, readAt }: { queues: Queue[]; readAt: number }) {
  return (
    <TableBox label="Queues">
      <thead>
        <tr>
          <th scope="col">Queue</th>
          <th scope="col">Health</th>
          {columns.map((column) => (
            <th key={column} scope="col" className="number">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <QueueRow key={queue.queue} queue={queue} readAt={readAt} />
        ))}
      </tbody>
    </TableBox>
  );
}

function QueueRow({ queue, readAt }: { queue: Queue; readAt: number }) {
  const { inPerMinute, outPerMinute, wait, run } = figuresOf(queue);
  return (
    <tr>
      <th scope="row">
        <a data-row href={`queues/queue/${encodeURIComponent(queue.queue)}`}>
          {queue.queue}
        </a>
      </th>
      <td>
        <Badge {...healthOf(queue)} />
      </td>
      <td className="number">
        {queue.oldestEligibleAgeMs === null ? (
          '-'
        ) : (
          <Link href={hrefOf('accounts')}>
            <Age ms={queue.oldestEligibleAgeMs} readAt={readAt} />
          </Link>
        )}
      </td>
      <Count queue={queue} state="ready" />
      <Count queue={queue} state="held" />
      <Count queue={queue} state="active" />
      <td className="number">
        <Link href={hrefOf('dead-letters', undefined, { queue: queue.queue })}>
          {formatCount(queue.counts.dead)}
        </Link>
      </td>
      <td className="number">
        <Link href={hrefOf('jobs', undefined, { queue: queue.queue })}>{formatRate(inPerMinute)}</Link>
      </td>
      <td className="number">
        <Link href={hrefOf('jobs', undefined, { queue: queue.queue, state: 'completed' })}>
          {formatRate(outPerMinute)}
        </Link>
      </td>
      <td className="number">{both(wait)}</td>
      <td className="number">{both(run)}</td>
      <td className="number">
        <Link href={hrefOf('workers')}>{slotsOf(queue)}</Link>
      </td>
    </tr>
  );
}

function Count({ queue, state }: { queue: Queue; state: JobState }) {
  return (
    <td className="number">
      <Link href={hrefOf('jobs', undefined, { queue: queue.queue, state })}>
        {formatCount(queue.counts[state])}
      </Link>
    </td>
  );
}

function slotsOf({ slots: { min, max } }: Queue): string {
  return min === max ? formatCount(max) : `${formatCount(min)}-${formatCount(max)}`;
}

function both({ p50, p99 }: Quantiles): string {
  return p50 === null && p99 === null ? '-' : `${formatDuration(p50)} / ${formatDuration(p99)}`;
}
