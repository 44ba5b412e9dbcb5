import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/types.js';
import { formatAbsolute } from '../../format/times.js';
import { aJob } from '../../testing-support/api-answers.js';
import { sentenceOf } from './sentence.js';
import { isUnresolved } from './unresolved.js';

const nextRunAt = '2026-11-30T09:00:00.000Z';
const nine = formatAbsolute(Date.parse(nextRunAt));
const failed = { code: 'target_gone', class: 'permanent', message: 'gone', at: nextRunAt };
const putOff = { code: 'effect_deferred', class: 'throttled', message: 'It is away.', at: nextRunAt };

test.each<[Partial<Job>, string]>([
  [{ state: 'scheduled' }, 'It waits for its time.'],
  [{ state: 'scheduled', nextRunAt }, `It starts at ${nine}.`],
  [{ state: 'ready' }, 'It may start and waits for its turn.'],
  [{ state: 'held', reason: 'rate_limit', nextRunAt }, `It waits: over its rate. It may start at ${nine}.`],
  [{ state: 'held', reason: 'paused' }, 'It waits: account paused.'],
  [{ state: 'held' }, 'It waits: its gate is closed.'],
  [{ state: 'active' }, 'It is running.'],
  [
    { state: 'retrying', attempts: { made: 1, max: 3 }, nextRunAt },
    `Attempt 1 of 3 failed; the next is at ${nine}.`,
  ],
  [
    { state: 'retrying', attempts: { made: 1, max: 3 }, nextRunAt, lastError: putOff },
    `It was put off, no attempt was spent; it is tried again at ${nine}. Reason given: It is away.`,
  ],
  [{ state: 'completed' }, 'It is done.'],
  [
    { state: 'dead', lastError: failed },
    'It failed for good: recipient gone. It does not run again unless someone replays it.',
  ],
  [{ state: 'cancelled' }, 'It was cancelled and does not run.'],
])('a job %o: %s', (fields, sentence) => {
  expect(sentenceOf(aJob(fields))).toBe(sentence);
});

describe('an unknown outcome', () => {
  const unknown = { ...failed, code: 'unknown_outcome' };

  test('comes before all else', () => {
    const effects = [{ name: 'send', state: 'unknown', at: nextRunAt }];
    expect(sentenceOf(aJob({ state: 'dead', lastError: unknown, effects }))).toMatch(
      /^It may have reached the outside\./,
    );
  });

  test('is also an effect that a dead job began and never ended, but not one that is under way', () => {
    const started = { state: 'started' };
    expect(isUnresolved(started, aJob({ state: 'dead', lastError: unknown }))).toBe(true);
    expect(isUnresolved(started, aJob({ state: 'dead', lastError: failed }))).toBe(false);
    expect(isUnresolved(started, aJob({ state: 'active' }))).toBe(false);
    expect(isUnresolved({ state: 'done' }, aJob({ state: 'dead', lastError: unknown }))).toBe(false);
  });
});
