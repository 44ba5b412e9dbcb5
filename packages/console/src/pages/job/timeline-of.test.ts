import { expect, test } from 'vitest';
import { aJob } from '../../testing-support/api-answers.js';
import { timelineOf } from './timeline-of.js';

const at = (second: number) => `2026-11-30T08:00:0${second}.000Z`;

test('what happened stands latest first, of one moment the later step above', () => {
  const job = aJob({
    state: 'dead',
    attempts: { made: 2, max: 3 },
    createdAt: at(0),
    startedAt: at(2),
    effects: [{ name: 'send', state: 'unknown', at: at(2) }],
    failures: [
      { attempt: 2, code: 'unknown_outcome', class: 'permanent', message: 'no answer', at: at(3) },
      { attempt: 1, code: 'throttled', class: 'throttled', message: 'too many requests', at: at(1) },
    ],
    finishedAt: at(3),
  });
  expect(timelineOf(job)).toEqual([
    { at: at(3), what: 'dead' },
    { at: at(3), what: 'attempt 2 failed: outcome unknown' },
    { at: at(2), what: 'effect send: outcome unknown' },
    { at: at(2), what: 'attempt 2 started' },
    { at: at(1), what: 'attempt 1 put off: slowed down for too long' },
    { at: at(0), what: 'accepted' },
  ]);
});

test('what is to come leads', () => {
  const nextRunAt = '2026-11-30T09:00:00.000Z';
  expect(timelineOf(aJob({ state: 'held', nextRunAt })).map(({ what }) => what)).toEqual([
    'may start',
    'accepted',
  ]);
});

test('an attempt that began last is told with its own number, also when it was put off since', () => {
  const failures = [
    { attempt: 2, code: 'effect_deferred', class: 'throttled', message: 'too early', at: at(5) },
    { attempt: 1, code: 'remote_error', class: 'retryable', message: 'no answer', at: at(1) },
  ];
  const started = (fields: Parameters<typeof aJob>[0]) =>
    timelineOf(aJob({ startedAt: at(4), createdAt: at(0), failures, ...fields })).find(({ what }) =>
      what.endsWith('started'),
    )?.what;
  expect(started({ state: 'retrying', attempts: { made: 1, max: 8 } })).toBe('attempt 2 started');
  expect(started({ state: 'active', attempts: { made: 1, max: 8 }, startedAt: at(6) })).toBe(
    'attempt 2 started',
  );
  expect(started({ state: 'completed', attempts: { made: 2, max: 8 }, startedAt: at(6) })).toBe(
    'attempt 2 started',
  );
});
