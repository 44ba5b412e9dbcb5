import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  classifyError,
  EffectDeferredError,
  EffectMisuseError,
  httpError,
  PermanentError,
  ThrottledError,
  UnknownOutcomeError,
  type EffectOptions,
} from '@fairlane/sdk';
import { freePort } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { LedgerUnavailableError, StaleHolderError } from '../errors.js';
import type { EffectLedger } from '../ledger.js';
import { createRedisLedger } from '../redis/redis-ledger.js';
import { newJob, scopeOf } from '../testing-support/attempt-scope.js';
import { interceptLedger } from '../testing-support/intercepted-ledger.js';
import { createEffectRunner } from './effect-runner.js';
import type { EffectOutcome, EffectScope } from './effect-scope.js';

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

/** An effect that counts its calls and ends as told, one entry a call; the last one goes on. */
function effectOf<T>(ends: readonly (() => T | Promise<T>)[], options: Partial<EffectOptions<T>> = {}) {
  let performed = 0;
  return {
    get performed() {
      return performed;
    },
    options: {
      perform: async () => {
        const end = ends[Math.min(performed, ends.length - 1)];
        performed += 1;
        if (end === undefined) throw new Error('no end was given');
        return end();
      },
      ...options,
    } satisfies EffectOptions<T>,
  };
}

async function findsIt({ reference }: { reference: string }) {
  return { id: `found ${reference}` };
}

function fails(error: unknown): () => never {
  return () => {
    throw error;
  };
}

function answers(status: number, options: Parameters<typeof httpError>[1] = {}): Error {
  return httpError(new Response(null, { status }), options);
}

async function stateOf(job: { id: string }) {
  return (await ledger.effects(job.id)).map(({ state }) => state);
}

describe('an effect', () => {
  it('is performed with the reference and the idempotency key of the job, and its result is kept', async () => {
    const job = newJob();
    const calls: object[] = [];
    const effect = attempt(job);
    const result = await effect('send', {
      perform: async ({ idempotencyKey, reference }) => {
        calls.push({ idempotencyKey, reference });
        return { id: 'msg_1', sentAt: new Date(0) };
      },
    });
    expect(calls).toEqual([{ idempotencyKey: `${job.key}:send`, reference: job.key }]);
    // What a later attempt gets, not the object itself.
    expect(result).toEqual({ id: 'msg_1', sentAt: '1970-01-01T00:00:00.000Z' });
    expect(await ledger.effects(job.id)).toMatchObject([
      { name: 'send', state: 'done', externalId: 'msg_1' },
    ]);
    expect(outcomes).toEqual(['performed']);
  });

  it('R2: is not performed again by a later attempt, which gets the kept result', async () => {
    const job = newJob();
    const send = effectOf([() => ({ id: 'msg_1' })]);
    const first = await attempt(job)('send', send.options);
    expect(await attempt(job)('send', send.options)).toEqual(first);
    expect(send.performed).toBe(1);
    expect(outcomes).toEqual(['performed', 'replayed']);
  });

  it('gives undefined back where perform gave nothing', async () => {
    const job = newJob();
    const send = effectOf([() => undefined]);
    expect(await attempt(job)('send', send.options)).toBeUndefined();
    expect(await attempt(job)('send', send.options)).toBeUndefined();
    expect(send.performed).toBe(1);
  });

  it('reports a changed input and gives the kept result back', async () => {
    const job = newJob();
    const warnings: string[] = [];
    const warn = (_fields: object | string, message = '') => warnings.push(message);
    const send = effectOf([() => 1]);
    await attempt(job)('send', send.options);
    expect(await attempt(job, { inputHash: 'in-2', logger: { warn } })('send', send.options)).toBe(1);
    expect(warnings).toEqual(['the payload has changed since this effect was started']);
  });

  it('shares the claim of its attempt with effects used at the same time', async () => {
    const job = newJob();
    const effect = attempt(job);
    const results = ['a', 'b', 'c', 'd'].map((name) => effect(name, effectOf([() => name]).options));
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
    expect(await stateOf(job)).toEqual(['done', 'done', 'done', 'done']);
  });

  it.each(['', 'x'.repeat(129)])('needs a proper name: "%s"', async (name) => {
    await expect(attempt()(name, effectOf([() => 1]).options)).rejects.toThrow(EffectMisuseError);
  });

  it('is an error under a name that the attempt has used', async () => {
    const effect = attempt();
    const send = effectOf([() => 1]);
    await effect('send', send.options);
    await expect(effect('send', send.options)).rejects.toThrow(EffectMisuseError);
    expect(send.performed).toBe(1);
  });

  it('R14: is an error beyond 256 of one attempt', async () => {
    const effect = attempt();
    const names = Array.from({ length: 257 }, (_, nth) => `e${nth}`);
    const all = await Promise.allSettled(names.map((name) => effect(name, effectOf([() => 1]).options)));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('an effect that was certainly not applied', () => {
  const listeners: RequestListener[] = [];
  let url = '';
  const server = createServer((request, response) => listeners.at(-1)?.(request, response));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each([
    ['connection refused', async () => fetch(`http://127.0.0.1:${await freePort()}`)],
    ['name not found', () => fetch('http://does-not-exist.invalid')],
    ['429', fails(answers(429))],
    ['422', fails(answers(422))],
    ['404', fails(answers(404))],
    ['503 where declared', fails(answers(503, { notApplied: [503] }))],
    ['wrapped 429', fails(new Error('sending failed', { cause: answers(429) }))],
  ])('is simply performed by the next attempt: %s', async (_, end) => {
    const job = newJob();
    const send = effectOf<unknown>([end, () => 'sent']);
    const error: unknown = await attempt(job)('send', send.options).catch((thrown: unknown) => thrown);
    expect(classifyError(error).applied).toBe('no');
    expect(await stateOf(job)).toEqual(['not_applied']);
    expect(await attempt(job)('send', send.options)).toBe('sent');
    expect(outcomes).toEqual(['not_applied', 'performed']);
  });

  it('is unknown when the connection is cut after it was sent', async () => {
    listeners.push((request) => request.socket.destroy());
    const job = newJob();
    const send = effectOf([() => fetch(url, { method: 'POST' })]);
    await expect(attempt(job)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
    expect(await stateOf(job)).toEqual(['unknown']);
  });
});

/** How a call ends, and the time it is given: enough for a busy machine unless the time is the point. */
const unknownOutcomes: [string, () => unknown, number?][] = [
  ['500', fails(answers(500))],
  ['502', fails(answers(502))],
  ['503 where not declared', fails(answers(503))],
  ['504', fails(answers(504))],
  ['a reset', fails(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))],
  ['a time-out', fails(new DOMException('too slow', 'TimeoutError'))],
  ['an error of the handler', fails(new TypeError('x is undefined'))],
  ['undefined thrown (A24)', fails(undefined)],
  ['no answer in time', () => new Promise(() => undefined), 300],
];

describe('an effect of unknown outcome', () => {
  it.each(unknownOutcomes)('that can be asked for is found applied, and not repeated: %s', async (...of) => {
    const [, end, timeoutMs = 30_000] = of;
    const job = newJob();
    const send = effectOf<unknown>([end], { alreadyApplied: findsIt, timeoutMs });
    await expect(attempt(job)('send', send.options)).rejects.not.toThrow(UnknownOutcomeError);
    expect(await stateOf(job)).toEqual(['started']);
    expect(await attempt(job)('send', send.options)).toEqual({ id: `found ${job.key}` });
    expect(await attempt(job)('send', send.options)).toEqual({ id: `found ${job.key}` });
    expect(send.performed).toBe(1);
    expect(outcomes).toEqual(['unsettled', 'found', 'replayed']);
  });

  it('is believed not applied only after start, time-out and settle time', async () => {
    const job = newJob();
    const settings = { alreadyApplied: async () => undefined, timeoutMs: 1_000, settleMs: 500 };
    const send = effectOf([fails(answers(500)), () => 'sent'], settings);
    await expect(attempt(job)('send', send.options)).rejects.toThrow('500');
    clock.nowMs += 1_400;
    const early: unknown = await attempt(job)('send', send.options).catch((error: unknown) => error);
    expect(early).toBeInstanceOf(EffectDeferredError);
    expect(classifyError(early)).toMatchObject({
      class: 'throttled',
      code: 'effect_deferred',
      retryAfterMs: 100,
    });
    expect(send.performed).toBe(1);
    clock.nowMs += 100;
    expect(await attempt(job)('send', send.options)).toBe('sent');
  });

  it('is asked for again later when the outside cannot tell', async () => {
    const job = newJob();
    const alreadyApplied = fails(answers(502));
    const send = effectOf([fails(answers(500))], { alreadyApplied, timeoutMs: 1_000 });
    await expect(attempt(job)('send', send.options)).rejects.toThrow('500');
    clock.nowMs += 3_600_000;
    const error: unknown = await attempt(job)('send', send.options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EffectDeferredError);
    expect(classifyError(error).retryAfterMs).toBeGreaterThanOrEqual(30_000);
    expect(classifyError(error).retryAfterMs).toBeLessThanOrEqual(90_000);
    expect(send.performed).toBe(1);
  });

  it('waits as told when the question is throttled', async () => {
    const job = newJob();
    const alreadyApplied = fails(new ThrottledError({ retryAfterMs: 7_000 }));
    const send = effectOf([fails(answers(500))], { alreadyApplied });
    await expect(attempt(job)('send', send.options)).rejects.toThrow('500');
    await expect(attempt(job)('send', send.options)).rejects.toThrow(ThrottledError);
  });

  it('is left to a person when the outside says that it cannot be asked', async () => {
    const job = newJob();
    const alreadyApplied = fails(answers(405));
    const send = effectOf([fails(answers(500))], { alreadyApplied, repeatable: { keyTtlMs: 86_400_000 } });
    await expect(attempt(job)('send', send.options)).rejects.toThrow('500');
    await expect(attempt(job)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
    expect(await stateOf(job)).toEqual(['unknown']);
    expect(send.performed).toBe(1);
  });

  it('is performed again under its key within the lifetime of the key, and not after', async () => {
    const job = newJob();
    const send = effectOf([fails(answers(500))], { repeatable: { keyTtlMs: 60_000 }, timeoutMs: 1_000 });
    const tryAgain = async () => attempt(job)('send', send.options);
    await expect(tryAgain()).rejects.toThrow('500');
    clock.nowMs += 40_000;
    await expect(tryAgain()).rejects.toThrow('500');
    // The age is that of the first call, and what is sent now must arrive in time: 40,000 + 18,999 + 1,000 < 60,000.
    clock.nowMs += 18_999;
    await expect(tryAgain()).rejects.toThrow('500');
    clock.nowMs += 1;
    await expect(tryAgain()).rejects.toThrow(UnknownOutcomeError);
    expect(send.performed).toBe(3);
  });

  it('keeps the age of its key when a repeat was certainly not applied: the call before it may have been', async () => {
    const job = newJob();
    const ends = [fails(answers(500)), fails(answers(429)), () => 'sent'];
    const send = effectOf(ends, { repeatable: { keyTtlMs: 60_000 }, timeoutMs: 1_000 });
    await expect(attempt(job)('send', send.options)).rejects.toThrow('500');
    await expect(attempt(job)('send', send.options)).rejects.toThrow('429');
    expect(await stateOf(job)).toEqual(['started']);
    clock.nowMs += 60_000;
    await expect(attempt(job)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
  });

  it.each(unknownOutcomes)(
    'that can neither be asked nor repeated is left to a person: %s',
    async (...of) => {
      const [, end, timeoutMs = 30_000] = of;
      const job = newJob();
      const send = effectOf<unknown>([end], { timeoutMs });
      const error: unknown = await attempt(job)('send', send.options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnknownOutcomeError);
      expect(classifyError(error)).toMatchObject({ class: 'permanent', code: 'unknown_outcome' });
      await expect(attempt(job)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
      expect(send.performed).toBe(1);
      expect(await stateOf(job)).toEqual(['unknown']);
    },
  );

  it('goes on as a person resolves it', async () => {
    const applied = newJob();
    const notApplied = newJob();
    const send = effectOf([fails(answers(500)), fails(answers(500)), () => ({ id: 'msg_2' })]);
    await expect(attempt(applied)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
    await expect(attempt(notApplied)('send', send.options)).rejects.toThrow(UnknownOutcomeError);
    await ledger.resolve({ jobId: applied.id, name: 'send', outcome: 'applied', externalId: 'msg_1' });
    await ledger.resolve({ jobId: notApplied.id, name: 'send', outcome: 'not_applied' });
    expect(await attempt(applied)('send', send.options)).toEqual({ id: 'msg_1' });
    expect(await attempt(notApplied)('send', send.options)).toEqual({ id: 'msg_2' });
    expect(send.performed).toBe(3);
  });
});

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
      expect(await stateOf(job)).toEqual(['done']);
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

  it('sends nothing when no time is left after the answer of the ledger', async () => {
    const job = newJob();
    const slow = interceptLedger(ledger, async (_method, call) => {
      const reply = await call();
      // Longer than the effect may take: the thread is blocked, so no timer tells.
      for (const until = performance.now() + 30; performance.now() < until;);
      return reply;
    });
    const send = effectOf([() => 1], { timeoutMs: 20 });
    const effect = attempt(job, {}, slow);
    await expect(effect('send', send.options)).rejects.toThrow(/no time was left/);
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
