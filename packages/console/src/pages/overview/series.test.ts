import { expect, test } from 'vitest';
import type { QueueMinute } from '../../api/types.js';
import { noFigures } from '../../testing-support/api-answers.js';
import { charts, seriesOf } from './series.js';

function point(minute: number, fields: Partial<QueueMinute>): QueueMinute {
  const notLooked = { oldestEligibleAgeMs: null, ready: null, held: null, active: null };
  return { at: `2026-11-30T08:0${minute}:00.000Z`, ...noFigures, ...notLooked, ...fields };
}

function chartNamed(title: string) {
  const chart = charts.find((one) => one.title === title);
  if (chart === undefined) throw new Error(`no chart ${title}`);
  return chart;
}

test('a column of seconds and one a line; a minute in which nobody looked is a gap, not 0', () => {
  const points = [point(0, { ready: 5, held: 0 }), point(1, {}), point(2, { ready: 1_200, held: 2 })];
  const { data, told } = seriesOf(chartNamed('Depth'), points);
  const start = Date.parse('2026-11-30T08:00:00.000Z') / 1_000;
  expect(data).toEqual([
    [start, start + 60, start + 120],
    [5, null, 1_200],
    [0, null, 2],
  ]);
  expect(told).toEqual(['ready 1,200, highest 1,200', 'held 2, highest 2']);
});

test('what left a queue is every end; the words tell the last and the highest', () => {
  const points = [point(0, { enqueued: 9, completed: 6, dead: 2, cancelled: 1 }), point(1, { enqueued: 1 })];
  expect(seriesOf(chartNamed('A minute'), points).told).toEqual(['in 1, highest 9', 'out 0, highest 9']);
});

test('what was never measured is a dash', () => {
  expect(seriesOf(chartNamed('Oldest eligible'), [point(0, {})]).told).toEqual(['age -']);
  expect(seriesOf(chartNamed('p99'), []).told).toEqual(['wait -', 'run -']);
});
