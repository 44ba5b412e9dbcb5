import { readFileSync, writeFileSync } from 'node:fs';
import { simulateDay, type SimulationResult } from './simulate-day.js';

/**
 * Draws how many replicas a day asks for: `tsx --conditions fairlane-source draw-day.ts TRACE.csv CHART.svg`, the trace
 * as `minute,account,jobs`.
 */
const [trace = '', chart = ''] = process.argv.slice(2);
const arrivals: number[] = [];
for (const line of readFileSync(trace, 'utf8').split('\n').slice(1)) {
  const [minute, , jobs] = line.split(',');
  if (jobs === undefined) continue;
  arrivals[Number(minute)] = (arrivals[Number(minute)] ?? 0) + Number(jobs);
}
const day = simulateDay({
  arrivals: Array.from(arrivals, (count) => count ?? 0),
  serviceMs: 5_000,
  slotsPerReplica: 5,
  min: 1,
  max: 20,
  targetAgeMs: 60_000,
});
writeFileSync(chart, draw(day));
const { minutes, ...figures } = day;
const most = Math.max(...minutes.map(({ replicas }) => replicas));
process.stdout.write(`${JSON.stringify({ ...figures, mostReplicas: most })}\n`);

function draw({ minutes }: SimulationResult): string {
  const rows = [
    { name: 'jobs arriving a minute', values: minutes.map(({ arrived }) => arrived), color: '#4477aa' },
    { name: 'replicas', values: minutes.map(({ replicas }) => replicas), color: '#228833' },
    {
      name: 'oldest job that could start, seconds (target 60)',
      values: minutes.map(({ oldestAgeMs }) => oldestAgeMs / 1_000),
      color: '#aa3377',
    },
  ];
  const panels = rows.map(({ name, values, color }, row) => {
    const top = Math.max(1, ...values);
    const points = values.map((value, at) => `${60 + at / 2},${(130 - (value / top) * 100).toFixed(1)}`);
    return `<g transform="translate(0 ${row * 150})"><text x="60" y="20">${name}, at most ${Math.round(top)}</text><path d="M60 130H780" stroke="#999"/><polyline fill="none" stroke="${color}" points="${points.join(' ')}"/></g>`;
  });
  const hours = [0, 6, 12, 18, 24].map((hour) => `<text x="${60 + hour * 30}" y="455">${hour}:00</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 465" font-family="sans-serif" font-size="12"><rect width="820" height="465" fill="#fff"/>${panels.join('')}${hours.join('')}</svg>\n`;
}
