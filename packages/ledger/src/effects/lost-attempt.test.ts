import { EffectDeferredError, PermanentError, UnknownOutcomeError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { LedgerUnavailableError, StaleHolderError } from '../errors.js';
import type { EffectLedger } from '../ledger.js';
import { createRedisLedger } from '../redis/redis-ledger.js';
import { answers, effectOf, fails } from '../testing-support/counted-effect.js';
import { newJob, scopeOf } from '../testing-support/attempt-scope.js';
import { interceptLedger } from '../testing-support/intercepted-ledger.js';
import { createEffectRunner } from './effect-runner.js';
import type { EffectScope } from '@fairlane/sdk/internal';
import type { EffectOutcome } from './effect-outcome.js';

const redis = useRedis();
const clock = { nowMs: 1_700_000_000_000 };

let ledger: EffectLedger;
let outcomes: EffectOutcome[];
beforeAll(() => {
  ledger = createRedisLedger({ redis: redis.url, prefix: '{effects}', nowMs: () => clock.nowMs });
});
beforeEach(() => {
  outcomes = [];
});
afterAll(() => ledger.close());

function onOutcome(outcome: EffectOutcome): void {
  outcomes.push(outcome);
}

/** An attempt of a job: its `ctx.effect`. */
function attempt(job = newJob(), patch: Partial<EffectScope> = {}, on: EffectLedger = ledger) {
  return createEffectRunner({ ledger: on, onOutcome }).forAttempt(scopeOf(job, patch));
}

async function stateOf(job: { id: string }) {
  return (await ledger.effects(job.id)).map(({ state }) => state);
}

describe('an attempt that lost its job', () => {
  it('A03: performs nothing once its lease is over, however late it notices', async () => {
    const job = newJob();
    const send = effectOf([() => 1]);
    const effect = attempt(job, { isCurrent: () => false });
    await expect(effect('send', send.options)).rejects.toThrow(StaleHolderError);
    expect(send.performed).toBe(0);
    expect(await stateOf(job)).toEqual([]);
  });

  it('A03: sends nothing when the lease ends while the ledger is asked, and leaves no doubt behind', async () => {
    const job = newJob();
    let held = true;
    const slow = interceptLedger(ledger, async (_method, call) => {
      const reply = await call();
      held = false;
      return reply;
    });
    const send = effectOf([() => 1]);
    const effect = attempt(job, { isCurrent: () => held }, slow);
    await expect(effect('send', send.options)).rejects.toThrow(StaleHolderError);
    expect(send.performed).toBe(0);
    expect(await stateOf(job)).toEqual(['not_applied']);
  });

  it.each([
    ['no time is left', 20],
    ['less than half of its time is left', 50],
  ])('R2: sends nothing when %s after the answer of the ledger, and is put off', async (_what, timeoutMs) => {
    const job = newJob();
    const slow = interceptLedger(ledger, async (_method, call) => {
      const reply = await call();
      // The thread is blocked, so no timer tells.
      for (const until = performance.now() + 30; performance.now() < until;);
      return reply;
    });
    const send = effectOf([() => 1], { timeoutMs });
    const effect = attempt(job, {}, slow);
    await expect(effect('send', send.options)).rejects.toThrow(EffectDeferredError);
    expect(send.performed).toBe(0);
    expect(await stateOf(job)).toEqual(['not_applied']);
  });

  it('records nothing when another attempt has claimed the job meanwhile', async () => {
    const job = newJob();
    const other = effectOf([() => 1], { alreadyApplied: async () => undefined });
    const send = effectOf([
      async () => {
        await expect(attempt(job)('send', other.options)).rejects.toThrow(EffectDeferredError);
        return 'late';
      },
    ]);
    await expect(attempt(job)('send', send.options)).rejects.toThrow(StaleHolderError);
    expect(other.performed).toBe(0);
    expect(await stateOf(job)).toEqual(['started']);
    expect(outcomes).toEqual(['deferred', 'performed', 'stale']);
  });

  it('is not dead of an outcome that a person has told meanwhile: the next attempt goes on with it', async () => {
    const job = newJob();
    const send = effectOf([
      async () => {
        await ledger.resolve({ jobId: job.id, name: 'send', outcome: 'applied', externalId: 'msg_1' });
        throw new Error('socket hang up');
      },
    ]);
    await expect(attempt(job)('send', send.options)).rejects.toThrow(StaleHolderError);
    expect(await attempt(job)('send', send.options)).toEqual({ id: 'msg_1' });
    expect(outcomes).toEqual(['stale', 'replayed']);
  });

  it('A03: cannot claim the job back for its next effect', async () => {
    const job = newJob();
    const first = attempt(job);
    await first('a', effectOf([() => 1]).options);
    await attempt(job)('a', effectOf([() => 1]).options);
    const send = effectOf([() => 1]);
    await expect(first('b', send.options)).rejects.toThrow(StaleHolderError);
    expect(send.performed).toBe(0);
  });

  it('is told why it was stopped', async () => {
    const signal = AbortSignal.abort(new DOMException('the worker is shutting down', 'AbortError'));
    await expect(attempt(newJob(), { signal })('send', effectOf([() => 1]).options)).rejects.toThrow(
      'the worker is shutting down',
    );
  });

  it('calls a send that was aborted unknown, whatever it was aborted with', async () => {
    const job = newJob();
    const stop = new AbortController();
    const send = effectOf<unknown>([
      async () => {
        stop.abort(new PermanentError({ reason: 'cancelled' }));
        throw stop.signal.reason;
      },
    ]);
    const effect = attempt(job, { signal: stop.signal });
    await expect(effect('send', send.options)).rejects.toThrow(UnknownOutcomeError);
    expect(await stateOf(job)).toEqual(['unknown']);
  });
});

describe('a ledger that does not answer', () => {
  const away = new Error('connect ECONNREFUSED');

  it('puts the job off without an attempt when nothing was sent', async () => {
    const send = effectOf([() => 1]);
    const down = interceptLedger(ledger, async () => Promise.reject(away));
    const patience = { beforeMs: 0, afterMs: 0 };
    const effect = createEffectRunner({ ledger: down, patience }).forAttempt(scopeOf(newJob()));
    const error: unknown = await effect('send', send.options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EffectDeferredError);
    expect((error as Error).cause).toBe(away);
    expect(send.performed).toBe(0);
  });

  it('is told again what was performed until it answers', async () => {
    const job = newJob();
    let failures = 0;
    const flaky = interceptLedger(ledger, async (method, call) => {
      const reply = await call();
      if (method === 'record' && failures < 3) {
        failures += 1;
        throw away;
      }
      return reply;
    });
    const send = effectOf([() => 'sent']);
    expect(await attempt(job, {}, flaky)('send', send.options)).toBe('sent');
    expect(failures).toBe(3);
    expect(await stateOf(job)).toEqual(['done']);
  });

  it.each([
    ['not_applied', 'can neither be asked nor repeated', {}],
    ['started', 'can be asked, so that nobody waits', { alreadyApplied: async () => undefined }],
  ])('is told again of a refusal, and knows it as %s where the effect %s', async (state, _what, safety) => {
    const job = newJob();
    let failures = 0;
    const flaky = interceptLedger(ledger, async (method, call) => {
      if (method === 'record' && failures < 2) {
        failures += 1;
        throw away;
      }
      return call();
    });
    const send = effectOf([fails(answers(429))], safety);
    const patience = { beforeMs: 0, afterMs: 5_000 };
    const effect = createEffectRunner({ ledger: flaky, patience }).forAttempt(scopeOf(job));
    await expect(effect('send', send.options)).rejects.toThrow('429');
    expect(await stateOf(job)).toEqual([state]);
  });

  it('leaves the effect started when it never answers, for the next attempt to ask', async () => {
    const job = newJob();
    const deaf = interceptLedger(ledger, async (method, call) =>
      method === 'record' ? Promise.reject(away) : call(),
    );
    const send = effectOf([() => ({ id: 'msg_1' })], { alreadyApplied: async () => ({ id: 'msg_1' }) });
    const patience = { beforeMs: 0, afterMs: 0 };
    const effect = createEffectRunner({ ledger: deaf, patience }).forAttempt(scopeOf(job));
    await expect(effect('send', send.options)).rejects.toThrow(LedgerUnavailableError);
    expect(await stateOf(job)).toEqual(['started']);
    expect(await attempt(job)('send', send.options)).toEqual({ id: 'msg_1' });
    expect(send.performed).toBe(1);
  });

  it('performs once though the answer to its claim was lost', async () => {
    const job = newJob();
    let lost = false;
    const flaky = interceptLedger(ledger, async (_method, call) => {
      const reply = await call();
      if (!lost) {
        lost = true;
        throw away;
      }
      return reply;
    });
    const send = effectOf([() => 'sent']);
    expect(await attempt(job, {}, flaky)('send', send.options)).toBe('sent');
    expect(send.performed).toBe(1);
  });
});
