import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { QueueMinute } from '../../api/types.js';
import { apiPath } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { DataView } from '../../parts/data-view.js';
import { charts, seriesOf, type Chart } from './series.js';

const everyMs = 10_000;

/** Loaded apart from the rest, for the size of its library. */
export default function Charts({ queue }: { queue: string }) {
  const query = useApi<{ items: QueueMinute[] }>(apiPath(['queues', queue, 'series'], { minutes: '60' }), {
    everyMs,
  });
  return (
    <DataView query={query} what="the figures of the last hour">
      {({ items }) => (
        <div className="charts">
          {charts.map((chart) => (
            <Figure key={chart.title} chart={chart} points={items} />
          ))}
        </div>
      )}
    </DataView>
  );
}

function Figure({ chart, points }: { chart: Chart; points: QueueMinute[] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const { data, told } = seriesOf(chart, points);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const drawn = new UPlot(optionsOf(chart, element), data, element);
    plot.current = drawn;
    const follow = new ResizeObserver(() => drawn.setSize(sizeOf(element)));
    follow.observe(element);
    return () => {
      follow.disconnect();
      drawn.destroy();
    };
  }, [chart]);
  useEffect(() => plot.current?.setData(data), [points]);
  return (
    <figure>
      <figcaption>
        <b>{chart.title}</b>
        {chart.lines.map(({ label, color }, at) => (
          <span key={label}>
            <i className="key" data-color={color} aria-hidden="true" /> {told[at]}
          </span>
        ))}
      </figcaption>
      <div ref={box} className="plot" role="img" aria-label={`${chart.title}: ${told.join('; ')}`} />
    </figure>
  );
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: Math.max(200, element.clientWidth), height: 140 };
}

function optionsOf({ lines, format, least }: Chart, element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element);
  const [ink, grid] = [style.getPropertyValue('--muted'), style.getPropertyValue('--line')];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(least, max)] } },
    axes: [
      { ...axis, size: 30, values: (_plot, ticks) => ticks.map(clock) },
      { ...axis, size: 84, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [
      {},
      ...lines.map(({ label, color }) => ({
        label,
        stroke: style.getPropertyValue(color),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}

function clock(seconds: number): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(seconds * 1_000);
}
