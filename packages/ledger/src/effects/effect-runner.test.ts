import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  classifyError,
  EffectDeferredError,
  EffectMisuseError,
  ThrottledError,
  UnknownOutcomeError,
} from '@fairlane/sdk';
import { freePort } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { EffectLedger } from '../ledger.js';
import { createRedisLedger } from '../redis/redis-ledger.js';
import { answers, effectOf, fails } from '../testing-support/counted-effect.js';
import { newJob, scopeOf } from '../testing-support/attempt-scope.js';
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

async function findsIt({ reference }: { reference: string }) {
  return { id: `found ${reference}` };
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
