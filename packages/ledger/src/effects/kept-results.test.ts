import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { EffectLedger } from '../ledger.js';
import { createRedisLedger } from '../redis/redis-ledger.js';
import { newJob, scopeOf } from '../testing-support/attempt-scope.js';
import { effectOf } from '../testing-support/counted-effect.js';
import { createEffectRunner } from './effect-runner.js';

const redis = useRedis();

let ledger: EffectLedger;
beforeAll(() => {
  ledger = createRedisLedger({ redis: redis.url, prefix: '{effects}' });
});
afterAll(() => ledger.close());

/** An attempt of a job: its `ctx.effect`. */
function attempt(job: ReturnType<typeof newJob>) {
  return createEffectRunner({ ledger }).forAttempt(scopeOf(job));
}

const circular: { self?: unknown } = {};
circular.self = circular;

describe('A24: an effect whose result cannot be kept', () => {
  const results: [string, unknown][] = [
    ['circular', circular],
    ['a BigInt', 10n],
    ['too large', { text: 'x'.repeat(40_000) }],
    ['a function', () => 1],
  ];

  it.each(results)(
    'is done, gives its result to this attempt, and is never repeated: %s',
    async (_, value) => {
      const job = newJob();
      const send = effectOf<unknown>([() => value]);
      expect(await attempt(job)('send', send.options)).toBe(value);
      await expect(attempt(job)('send', send.options)).rejects.toThrow(PermanentError);
      expect(send.performed).toBe(1);
      expect(await ledger.effects(job.id)).toMatchObject([{ state: 'done' }]);
    },
  );

  it('is asked for by a later attempt where it can be', async () => {
    const job = newJob();
    const send = effectOf<unknown>([() => 10n], { alreadyApplied: async () => 'found' });
    await attempt(job)('send', send.options);
    expect(await attempt(job)('send', send.options)).toBe('found');
    expect(send.performed).toBe(1);
  });
});
