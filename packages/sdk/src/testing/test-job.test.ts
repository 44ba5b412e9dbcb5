import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../contract/define-job.js';
import {
  PayloadError,
  PermanentError,
  RetryableError,
  ThrottledError,
  UnknownOutcomeError,
} from '../errors/errors.js';
import { implement, type EffectOptions, type HandlerContext } from '../contract/handler.js';
import { createTestJob } from './index.js';

const contract = defineJob({
  name: 'invoice.print',
  payload: z.object({ accountId: z.string(), invoiceId: z.string(), copies: z.int().default(1) }),
  account: (p) => p.accountId,
  key: (p) => [p.invoiceId],
  limitGroup: 'printer',
  timeoutMs: 30_000,
});
const payload = { accountId: 'acme', invoiceId: '7' };

function jobOf(run: (ctx: HandlerContext) => unknown, options = {}) {
  return createTestJob(
    implement(contract, async (_payload, ctx) => run(ctx)),
    payload,
    options,
  );
}

/** Throws the given errors one after the other, then succeeds. */
function failing(...errors: unknown[]) {
  const left = [...errors];
  return jobOf(() => {
    if (left.length > 0) throw left.shift();
    return { pages: 2 };
  });
}

/** A job of one effect whose `perform` answers by turns: a value, or an error to throw. */
function printing(answers: unknown[], options: Partial<EffectOptions<unknown>> = {}) {
  const left = [...answers];
  return jobOf((ctx) =>
    ctx.effect('print', {
      perform: async () => {
        const answer = left.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
      ...options,
    }),
  );
}

const perform = async () => 1;

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

const lost = new RetryableError({ code: 'connection_lost' });

describe('a job in memory', () => {
  it('gives the handler its parsed payload and its own identity', async () => {
    const seen: unknown[] = [];
    const handler = implement(contract, async (parsed, ctx) => {
      seen.push(parsed, ctx.job, ctx.attempt);
    });
    const job = createTestJob(handler, payload);
    expect(await job.run()).toBe('completed');
    expect(seen).toEqual([{ ...payload, copies: 1 }, job.info, 1]);
    expect(job.info).toMatchObject({
      name: 'invoice.print',
      account: 'acme',
      limitGroup: 'printer',
      version: 1,
    });
  });

  it('refuses a payload that the contract refuses', () => {
    const handler = implement(contract, async () => undefined);
    expect(() => createTestJob(handler, { accountId: 'acme' } as never)).toThrow(PayloadError);
    expect(() => createTestJob(handler, { accountId: '', invoiceId: '7' })).toThrow('account is empty');
  });

  it('succeeds with a result as it is stored, progress and log lines', async () => {
    const job = jobOf(async (ctx) => {
      ctx.logger.info({ page: 1 }, 'printed');
      ctx.logger.warn('low ink');
      await ctx.progress(50);
      return { at: new Date(0), missing: undefined };
    });
    await job.run();
    expect(job).toMatchObject({ state: 'completed', attempts: { made: 1, max: 8 }, progress: [50] });
    expect(job.result).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(job.logs).toEqual([
      { level: 'info', message: 'printed', fields: { page: 1 } },
      { level: 'warn', message: 'low ink', fields: {} },
    ]);
  });

  it('cannot be started after its end', async () => {
    const job = failing();
    await job.run();
    await expect(job.runAttempt()).rejects.toThrow('the job is completed');
  });
});

describe('retries', () => {
  it('wait by the policy, and their delays are recorded', async () => {
    const job = failing(new RetryableError(), 'no luck', new Error('bug'));
    await job.run();
    expect(job).toMatchObject({ state: 'completed', delaysMs: [2_500, 5_000, 10_000], result: { pages: 2 } });
    expect(job.starts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'retry'],
      [2, 'retry'],
      [3, 'retry'],
      [4, 'completed'],
    ]);
    expect(job.clock.nowMs - (job.starts[0]?.startedAtMs ?? 0)).toBe(17_500);
  });

  it('draw their jitter from the given source', async () => {
    const job = createTestJob(
      implement(contract, async () => {
        throw new RetryableError();
      }),
      payload,
      { random: () => 0 },
    );
    await job.run();
    expect(job.delaysMs).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('end as attempts_exhausted', async () => {
    const job = failing(...Array.from({ length: 8 }, () => new RetryableError()));
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: 'attempts_exhausted', attempts: { made: 8, max: 8 } });
  });

  it('do not follow a permanent error', async () => {
    const job = failing(
      new PermanentError({ code: 'unauthorized', reason: 'The printer refused the account.' }),
    );
    await job.run();
    expect(job).toMatchObject({
      state: 'dead',
      deadCode: 'unauthorized',
      attempts: { made: 1 },
      lastError: { reason: 'The printer refused the account.' },
    });
  });

  it("follow the implementation's own reading of an error, unless it throws itself", async () => {
    class CardError extends Error {}
    const fail = async () => {
      throw new CardError('card_declined');
    };
    const translated = implement(contract, fail, {
      translateError: (error) =>
        error instanceof CardError ? new PermanentError({ cause: error }) : undefined,
    });
    const job = createTestJob(translated, payload);
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: 'rejected', attempts: { made: 1 } });

    const broken = implement(contract, fail, {
      translateError: () => {
        throw new Error('bug');
      },
    });
    expect(await createTestJob(broken, payload).runAttempt()).toBe('retrying');
  });

  it('each get the payload as it was stored', async () => {
    let round = 0;
    const seen: string[] = [];
    const handler = implement(contract, async (parsed) => {
      seen.push(parsed.invoiceId);
      parsed.invoiceId = 'changed';
      round += 1;
      if (round === 1) throw new RetryableError();
    });
    await createTestJob(handler, payload).run();
    expect(seen).toEqual(['7', '7']);
  });
});

describe('A11 throttling', () => {
  it('spends no attempt: twenty times throttled, twice failed, then done', async () => {
    const throttled = Array.from({ length: 20 }, () => new ThrottledError({ retryAfterMs: 1_000 }));
    const job = failing(...throttled, new RetryableError(), new RetryableError());
    await job.run();
    expect(job).toMatchObject({ state: 'completed', attempts: { made: 3 } });
    expect(job.delaysMs).toEqual([...Array<number>(20).fill(1_000), 2_500, 5_000]);
  });

  it('that never ends is dead after maxDeferMs', async () => {
    const job = jobOf(() => {
      throw new ThrottledError({ retryAfterMs: 3_600_000 });
    });
    await job.run();
    expect(job).toMatchObject({ state: 'dead', deadCode: 'throttled' });
    expect(job.starts).toHaveLength(25);
  });
});

describe('time-out and cancel', () => {
  it('a handler that runs out of time is told by its signal and tried again', async () => {
    const job = jobOf((ctx) => untilAborted(ctx.signal));
    const attempt = job.runAttempt();
    job.clock.advance(29_999);
    expect(job.state).toBe('active');
    job.clock.advance(1);
    expect(await attempt).toBe('retrying');
    expect(job.lastError).toMatchObject({ code: 'timeout' });
  });

  it('a handler that does not heed its signal is given up after a grace', async () => {
    const job = jobOf(() => new Promise(() => undefined));
    const attempt = job.runAttempt();
    job.clock.advance(30_000);
    job.clock.advance(5_000);
    expect(await attempt).toBe('retrying');
  });

  it('cancelling a waiting job ends it', async () => {
    const job = failing(new RetryableError());
    await job.runAttempt();
    job.cancel();
    expect(job.state).toBe('cancelled');
    expect(() => job.cancel()).toThrow('cannot be cancelled');
  });

  it('cancelling a running job aborts its signal', async () => {
    const job = jobOf((ctx) => untilAborted(ctx.signal));
    const attempt = job.runAttempt();
    job.cancel();
    expect(await attempt).toBe('cancelled');
    expect(job.starts).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('an effect that runs out of its own time is told by its signal', async () => {
    const job = jobOf((ctx) =>
      ctx.effect('print', {
        timeoutMs: 1_000,
        repeatable: { keyTtlMs: 60_000 },
        perform: ({ signal }) => untilAborted(signal),
      }),
    );
    const attempt = job.runAttempt();
    // The handler reaches its effect some microtasks after the start.
    await new Promise(setImmediate);
    job.clock.advance(1_000);
    expect(await attempt).toBe('retrying');
    expect(job.effects['print']).toEqual({ state: 'started', performed: 1, asked: 0 });
  });
});

describe('R2 effects', () => {
  it('are done once, and a retry gets the stored result back', async () => {
    let round = 0;
    const results: unknown[] = [];
    const job = jobOf(async (ctx) => {
      results.push(await ctx.effect('print', { perform: async () => ({ at: new Date(0) }) }));
      round += 1;
      if (round === 1) throw new RetryableError();
    });
    await job.run();
    const stored = { at: '1970-01-01T00:00:00.000Z' };
    expect(results).toEqual([stored, stored]);
    expect(job.effects).toEqual({ print: { state: 'done', performed: 1, asked: 0, result: stored } });
  });

  it('get one idempotency key and one reference on every attempt', async () => {
    const calls: unknown[] = [];
    const job = jobOf((ctx) =>
      ctx.effect('print', {
        repeatable: { keyTtlMs: 86_400_000 },
        perform: async ({ idempotencyKey, reference }) => {
          calls.push([idempotencyKey, reference]);
          if (calls.length === 1) throw lost;
          return 1;
        },
      }),
    );
    await job.run();
    const call = [`${job.info.key}:print`, job.info.key];
    expect(calls).toEqual([call, call]);
  });

  it('are performed again when they were certainly not applied', async () => {
    const job = printing([new ThrottledError({ retryAfterMs: 1_000 }), { id: 1 }]);
    await job.run();
    expect(job.effects['print']).toMatchObject({ state: 'done', performed: 2, asked: 0 });
    expect(job.attempts.made).toBe(1);
  });

  it('A01 are asked for after a crash between perform and record', async () => {
    const job = printing([{ id: 1 }], { alreadyApplied: async () => ({ id: 1 }) });
    job.crashAt('after_perform');
    await job.run();
    expect(job).toMatchObject({ state: 'completed', result: { id: 1 }, attempts: { made: 1 } });
    expect(job.effects['print']).toMatchObject({ state: 'done', performed: 1, asked: 1 });
    expect(job.starts.map(({ outcome }) => outcome)).toEqual(['crashed', 'completed']);
  });

  it('are performed after a crash before them', async () => {
    const job = printing([{ id: 1 }]);
    job.crashAt('before_perform', 'print');
    await job.run();
    expect(job.effects['print']).toMatchObject({ state: 'done', performed: 1 });
  });

  it('stay done after a crash at the very end', async () => {
    const job = printing([{ id: 1 }]);
    job.crashAt('before_finish');
    await job.run();
    expect(job.effects['print']).toMatchObject({ state: 'done', performed: 1 });
    expect(job.starts).toHaveLength(2);
  });

  it('believe a "no" only after the time of the call and the settle time', async () => {
    const job = printing([lost, { id: 2 }], {
      alreadyApplied: async () => undefined,
      timeoutMs: 10_000,
      settleMs: 2_000,
    });
    await job.run();
    expect(job.effects['print']).toMatchObject({ state: 'done', performed: 2, asked: 2 });
    // The retry comes after 2.5 s; what is left of the 12 s is waited for without an attempt.
    expect(job.delaysMs).toEqual([2_500, 9_500]);
    expect(job.attempts.made).toBe(2);
  });

  it('believe a "yes" at once', async () => {
    const job = printing([lost], { alreadyApplied: async () => ({ id: 1 }) });
    await job.run();
    expect(job).toMatchObject({ state: 'completed', result: { id: 1 }, delaysMs: [2_500] });
  });

  it('wait without an attempt while the outside cannot tell', async () => {
    let asked = 0;
    const job = printing([lost], {
      alreadyApplied: async () => {
        asked += 1;
        if (asked < 4) throw new RetryableError();
        return { id: 1 };
      },
    });
    await job.run();
    expect(job).toMatchObject({ state: 'completed', attempts: { made: 2 } });
    expect(job.starts.map(({ outcome }) => outcome)).toEqual([
      'retry',
      'defer',
      'defer',
      'defer',
      'completed',
    ]);
  });

  it("are repeated within the key's lifetime, and not after it", async () => {
    const repeatable = { keyTtlMs: 60_000 };
    const inTime = printing([lost, { id: 1 }], { repeatable });
    await inTime.run();
    expect(inTime.effects['print']).toMatchObject({ state: 'done', performed: 2 });
    const late = printing([lost, { id: 1 }], { repeatable });
    await late.runAttempt();
    late.clock.advance(60_000);
    await late.run();
    expect(late).toMatchObject({ state: 'dead', deadCode: 'unknown_outcome' });
  });

  it("count the key's lifetime from the first use of the key", async () => {
    const job = printing([lost, lost, { id: 1 }], { repeatable: { keyTtlMs: 60_000 }, timeoutMs: 10_000 });
    await job.runAttempt();
    job.clock.advance(30_000);
    await job.runAttempt();
    job.clock.advance(25_000);
    expect(await job.runAttempt()).toBe('dead');
    expect(job.effects['print']).toMatchObject({ state: 'unknown', performed: 2 });
  });

  it.each([
    ['nobody can be asked', {}],
    [
      'the outside can never tell',
      {
        alreadyApplied: async () => {
          throw new UnknownOutcomeError();
        },
      },
    ],
  ])('with an unknown outcome wait for a person: %s', async (_what, options) => {
    const job = printing([lost, { id: 2 }], options);
    await job.run();
    // Where nobody can be asked, a second attempt could tell no more than the first.
    const made = 'alreadyApplied' in options ? 2 : 1;
    expect(job).toMatchObject({ state: 'dead', deadCode: 'unknown_outcome' });
    expect(job.attempts.made).toBe(made);
    expect(job.effects['print']).toMatchObject({ state: 'unknown', performed: 1 });
    expect(() => job.replay()).toThrow('effect print must be resolved first');
  });

  it('go on as a person resolved them', async () => {
    const applied = printing([lost, { id: 2 }]);
    await applied.run();
    applied.resolveEffect('print', 'applied', 'p-1');
    expect(await applied.run()).toBe('completed');
    expect(applied).toMatchObject({ result: { id: 'p-1' }, attempts: { made: 1 } });

    const notApplied = printing([lost, { id: 2 }]);
    await notApplied.run();
    notApplied.resolveEffect('print', 'not_applied');
    await notApplied.run();
    expect(notApplied).toMatchObject({ state: 'completed', result: { id: 2 } });
    expect(() => notApplied.resolveEffect('print', 'applied')).toThrow('no unknown outcome');
  });

  it('A24 are not repeated for a result that cannot be stored', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const result of [circular, 1n, () => 1]) {
      const job = printing([result]);
      expect(await job.run()).toBe('completed');
      expect(job.result).toHaveProperty('unserialisable');
      expect(job.effects['print']).toEqual({ state: 'done', performed: 1, asked: 0 });
    }
  });

  it('under one name twice in an attempt are a bug', async () => {
    const job = jobOf(async (ctx) => {
      await ctx.effect('print', { perform });
      await ctx.effect('print', { perform });
    });
    await job.run();
    expect(job).toMatchObject({ state: 'dead', deadCode: 'rejected' });
    expect(job.effects['print']).toMatchObject({ performed: 1 });
  });

  it('A03 are not performed by an attempt that was told to stop', async () => {
    const job = jobOf(async (ctx) => {
      await new Promise((resolve) => {
        ctx.signal.addEventListener('abort', resolve);
      });
      await ctx.effect('print', { perform: async () => 1 });
    });
    const attempt = job.runAttempt();
    job.clock.advance(30_000);
    expect(await attempt).toBe('retrying');
    expect(job.effects).toEqual({});
  });
});

describe('the clock', () => {
  it('runs what falls due in its order and at its time', () => {
    const { clock } = failing();
    const seen: [string, number][] = [];
    const start = clock.nowMs;
    const note = (what: string) => () => seen.push([what, clock.nowMs - start]);
    clock.after(20, note('second'));
    clock.after(10, note('first'));
    clock.after(15, note('called off'))();
    clock.advance(30);
    expect(seen).toEqual([
      ['first', 10],
      ['second', 20],
    ]);
    expect(() => clock.advance(-1)).toThrow(RangeError);
  });
});
