import type { QueueMinute } from '../../api/types.js';
import { formatCount, formatRate } from '../../format/numbers.js';
import { formatDuration } from '../../format/times.js';
import { endedIn } from './queue-figures.js';

type Value = number | null;

export interface Chart {
  title: string;
  format: (value: number) => string;
  /** Where the axis ends at least, so that next to nothing does not look like a mountain. */
  least: number;
  lines: { label: string; color: string; read: (point: QueueMinute) => Value }[];
}

export const charts: Chart[] = [
  {
    title: 'Oldest eligible',
    format: formatDuration,
    least: 1_000,
    lines: [{ label: 'age', color: '--act', read: (point) => point.oldestEligibleAgeMs }],
  },
  {
    title: 'Depth',
    format: formatCount,
    least: 10,
    lines: [
      { label: 'ready', color: '--run', read: (point) => point.ready },
      { label: 'held', color: '--muted', read: (point) => point.held },
    ],
  },
  {
    title: 'A minute',
    format: formatRate,
    least: 10,
    lines: [
      { label: 'in', color: '--wait', read: (point) => point.enqueued },
      { label: 'out', color: '--good', read: endedIn },
    ],
  },
  {
    title: 'p99',
    format: formatDuration,
    least: 1_000,
    lines: [
      { label: 'wait', color: '--wait', read: (point) => point.timeInQueueMs.p99 },
      { label: 'run', color: '--run', read: (point) => point.processingMs.p99 },
    ],
  },
];

/** Columns for the plot (seconds, then a column a line), and in words what the last and the highest of each line are. */
export function seriesOf({ lines, format }: Chart, points: readonly QueueMinute[]) {
  const data: [number[], ...Value[][]] = [
    points.map(({ at }) => Date.parse(at) / 1_000),
    ...lines.map(({ read }) => points.map(read)),
  ];
  const told = lines.map(({ label, read }) => {
    const values = points.map(read).filter((value) => value !== null);
    const last = values.at(-1);
    if (last === undefined) return `${label} -`;
    return `${label} ${format(last)}, highest ${format(Math.max(...values))}`;
  });
  return { data, told };
}
