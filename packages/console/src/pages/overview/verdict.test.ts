import { describe, expect, test } from 'vitest';
import { aQueue } from '../../testing-support/api-answers.js';
import { healthOf, verdictOf } from './verdict.js';

describe('the verdict', () => {
  test('goes by age and not by depth: a healthy burst flows', () => {
    const burst = aQueue({ oldestEligibleAgeMs: 900, ready: 50_000 });
    expect(verdictOf([burst], 3)).toEqual({ tone: 'good', word: 'Work is flowing.' });
  });

  test('names the queue whose work is oldest, how many more, and that no worker runs', () => {
    const queues = [
      aQueue({ queue: 'sync', oldestEligibleAgeMs: 60_000 }),
      aQueue({ queue: 'critical', oldestEligibleAgeMs: 360_000 }),
    ];
    expect(verdictOf(queues, 0)).toEqual({
      tone: 'act',
      word: 'Work is stuck in critical and 1 more: the oldest has been able to run for 6 min, no worker is running.',
    });
  });

  test('an idle deployment without workers, and a paused queue, ask for a person', () => {
    expect(verdictOf([aQueue({})], 0).word).toBe('Nothing can run: no worker is running.');
    expect(verdictOf([aQueue({ paused: true })], 1)).toEqual({
      tone: 'act',
      word: 'Paused for every account: outreach.',
    });
  });

  test('says nothing of workers while none is known of', () => {
    expect(verdictOf([aQueue({})], undefined).word).toBe('Work is flowing.');
  });
});

test.each([
  [{ paused: true, oldestEligibleAgeMs: 0 }, 'paused'],
  [{ oldestEligibleAgeMs: 60_000 }, 'stuck'],
  [{ oldestEligibleAgeMs: 59_999 }, 'slow'],
  [{ oldestEligibleAgeMs: 9_999 }, 'flowing'],
  [{ oldestEligibleAgeMs: null }, 'flowing'],
])('the health of a queue: %o is %s', (fields, word) => {
  expect(healthOf(aQueue(fields)).word).toBe(word);
});
